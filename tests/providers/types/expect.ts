export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Whether a type has come to be `any`, which would fit everything. */
export type IsAny<T> = 0 extends 1 & T ? true : false

/** Compiles where the claim is true. */
export const holds = <_Claim extends true>(): void => {}
