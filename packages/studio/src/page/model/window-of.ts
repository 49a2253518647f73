/** Which rows of a long list are rendered. */
export interface Window {
  readonly from: number
  /** The index after the last rendered row. */
  readonly to: number
}

/**
 * Returns which rows of a list to render: those that are visible, plus some on both sides, so that a short scroll does
 * not show a gap. All rows have the same height.
 */
export function windowOf(scrollTop: number, viewHeight: number, rowHeight: number, count: number): Window {
  const spare = 12
  const most = 110
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const from = Math.max(0, Math.min(first - spare, count - 1))
  const visible = Math.ceil(Math.max(0, viewHeight) / rowHeight) + 1
  return { from, to: Math.min(count, from + Math.min(most, visible + 2 * spare)) }
}

/** Returns the scroll position that makes a row visible. Returns the current position if the row already is. */
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
