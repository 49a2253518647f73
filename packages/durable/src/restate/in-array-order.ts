/** How many turns of the event loop may pass between two closures that the SDK begins one after the other: it takes two. */
const quietTurns = 6

/**
 * Lets steps that are begun together start in their order: the SDK begins closures in any order, and of those that the
 * journal has an outcome of, none.
 */
export function inArrayOrder(): (place: number) => Promise<void> {
  const waiting = new Map<number, () => void>()
  let quiet = 0
  const release = () => {
    quiet++
    if (quiet < quietTurns) return void setImmediate(release)
    const starts = [...waiting].sort(([one], [other]) => one - other)
    waiting.clear()
    for (const [, start] of starts) start()
  }
  return (place) =>
    new Promise((resolve) => {
      quiet = 0
      if (waiting.size === 0) setImmediate(release)
      waiting.set(place, resolve)
    })
}
