import { readdirSync, readFileSync } from 'node:fs'

/** Returns the CPU time of a process and its children, in milliseconds. Undefined if the system does not report it. */
export function cpuOf(root: number): number | undefined {
  const all = processes()
  if (!all.some(({ pid }) => pid === root)) return undefined
  const family = new Set([root])
  for (let size = 0; size < family.size; ) {
    size = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  // The CPU time of ended processes is added to their parents'. A tick is 10 ms on current Linux.
  return all.reduce((sum, { pid, ticks }) => sum + (family.has(pid) ? ticks * 10 : 0), 0)
}

/** Returns the child process with this program name. */
export function processUnder(parent: number, name: string): number | undefined {
  return processes().find((one) => one.parent === parent && one.name === name.slice(0, 15))?.pid
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly name: string
  readonly ticks: number
}

function processes(): readonly Process[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const text = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)/s.exec(text) ?? []
      const fields = rest.split(' ')
      const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0)
      return [{ pid: Number(entry), parent: Number(fields[1]), name, ticks }]
    } catch {
      // The process has ended in the meantime.
      return []
    }
  })
}
