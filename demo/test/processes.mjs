import { execFileSync } from "node:child_process"

/** The process ids of a process's children. Not on Windows. */
export function childrenOf(parent) {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid)
}

export function isAlive(id) {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}
