// What the host has told of its models. The engine finds a name among them; it gets them as values.

/** By name; the last one registered stands last. */
const windows = /* @__PURE__ */ new Map<string, number>()

export function register({ name, contextWindow }: { name: string; contextWindow: number }): void {
  windows.delete(name)
  windows.set(name, contextWindow)
}

/** As of now: an engine keeps those that there were when it was made. */
export const registered = (): { name: string; contextWindow: number }[] =>
  Array.from(windows, ([name, contextWindow]) => ({ name, contextWindow }))
