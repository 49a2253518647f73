/** The rows of a long list that are rendered. */
export interface Window {
  readonly from: number
  /** The index of the last rendered row, plus one. */
  readonly to: number
}

/**
 * Returns which rows to render: the visible ones, and some on both sides, so that short scrolling does not show a gap.
 * All rows must have the same height.
 */
export function windowOf(scrollTop: number, viewHeight: number, rowHeight: number, count: number): Window {
  const spare = 12
  const most = 110
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const from = Math.max(0, Math.min(first - spare, count - 1))
  const visible = Math.ceil(Math.max(0, viewHeight) / rowHeight) + 1
  return { from, to: Math.min(count, from + Math.min(most, visible + 2 * spare)) }
}

/** Returns a scroll position at which a row is visible. Returns the current position if the row is already visible. */
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
