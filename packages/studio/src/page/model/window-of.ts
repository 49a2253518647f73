/** The rows of a long list that are rendered. */
export interface Window {
  readonly from: number
  /** The end, exclusive. */
  readonly to: number
}

/**
 * Returns the rows in the visible part of a list with rows of equal height, plus some on both sides, so that a short
 * scroll shows no gap.
 */
export function windowOf(scrollTop: number, viewHeight: number, rowHeight: number, count: number): Window {
  const spare = 12
  const most = 110
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const from = Math.max(0, Math.min(first - spare, count - 1))
  const visible = Math.ceil(Math.max(0, viewHeight) / rowHeight) + 1
  return { from, to: Math.min(count, from + Math.min(most, visible + 2 * spare)) }
}

/** Returns the scroll position that makes a row visible; the current one if it already is. */
export function scrollTo(
  row: number,
  rowHeight: number,
  view: { readonly top: number; readonly height: number },
): number {
  const top = row * rowHeight
  if (top < view.top) return top
  const bottom = top + rowHeight
  return bottom > view.top + view.height ? bottom - view.height : view.top
}
