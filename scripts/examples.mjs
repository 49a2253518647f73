// The examples: folders `examples/1-start` to `examples/7-programs`. An example is named without its group.
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The groups, in order. */
export const exampleGroups = readdirSync(join(root, 'examples')).filter((name) => /^\d-/.test(name))

/** Path of an example below the repository: a file of its group, or `start.ts` in a folder of its name. */
export function exampleFile(name) {
  if (!name) return undefined
  const paths = exampleGroups.flatMap((group) => [
    `examples/${group}/${name}.ts`,
    `examples/${group}/${name}/start.ts`,
  ])
  return paths.find((path) => existsSync(join(root, path)))
}

/** All names, group by group. */
export function exampleNames() {
  return exampleGroups.flatMap((group) => namesIn(join(root, 'examples', group)))
}

function namesIn(folder) {
  const entries = readdirSync(folder)
  const programs = entries.filter((entry) => entry.endsWith('.ts')).map((entry) => entry.slice(0, -3))
  const folders = entries.filter((entry) => existsSync(join(folder, entry, 'start.ts')))
  return [...programs, ...folders].sort()
}
