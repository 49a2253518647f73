/** The name that was probably meant, if any is near. */
export function nearest(said: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, away: distance(said, name) }))
    .sort((one, other) => one.away - other.away)
  const [best] = near
  return best && (best.away <= Math.ceil(said.length / 3) || isStart(said, best.name)) ? best.name : undefined
}

function isStart(said: string, name: string): boolean {
  return said.length > 1 && name.startsWith(said)
}

/** How many letters must be put in, taken out or changed. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let index = 1; index <= other.length; index++) {
      const changed = (row[index - 1] ?? 0) + (other[index - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
