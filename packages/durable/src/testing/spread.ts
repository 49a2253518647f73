/** At most so many items, evenly from first to last. */
export function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items
  const step = (items.length - 1) / (most - 1)
  return items.filter((_, at) => Math.round(Math.round(at / step) * step) === at)
}
