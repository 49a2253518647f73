import { readFileSync } from 'node:fs'

/** The limits of sizes and paths, with their reasons. A change of one is a commit of its own. */
export const limits = JSON.parse(readFileSync(new URL('../limits.json', import.meta.url), 'utf8'))

/** Returns the figure of a limit. Throws for a name that limits.json does not have. */
export function mostOf(name) {
  const limit = limits[name]
  if (!limit) throw new Error(`limits.json has no limit "${name}"`)
  return limit.most
}
