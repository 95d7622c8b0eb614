// @ts-types="../pkg/index.d.ts"
export * from "../pkg/index.js"
