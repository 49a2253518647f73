import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { scrollTo, windowOf } from '../model/window-of.js'

const rowHeight = 28

/** The fields of a row that the grid uses. */
export interface GridRow {
  readonly id: string
  /** The level, starting at 1. Absent in a list without levels. */
  readonly level?: number
  readonly posInSet?: number
  readonly setSize?: number
  /** Whether the rows below this one are shown. Absent if there are none. */
  readonly isOpen?: boolean
}

export interface Column<Row> {
  readonly id: string
  readonly title: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
}

interface TreeGridProps<Row extends GridRow> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** The column widths, in the syntax of `grid-template-columns`. */
  readonly widths: string
  readonly rows: readonly Row[]
  readonly selected: string | undefined
  readonly onSelect: (row: Row) => void
  /** Called when the user double-clicks a row or presses Enter on it. */
  readonly onOpen?: (row: Row) => void
  readonly onToggle?: (row: Row, isOpen: boolean) => void
  readonly classOf?: (row: Row) => string
}

/**
 * A list of rows with the same height. Only rows in or near the visible part are in the document. Follows the ARIA
 * treegrid pattern: Tab focuses one row, the up and down arrows move between rows, and the right and left arrows open
 * and close them.
 */
export function TreeGrid<Row extends GridRow>(props: TreeGridProps<Row>) {
  const { rows, columns, label, widths } = props
  const { box, view, measure } = useView()
  const { activeIndex, setActive, onKeyDown } = useRovingRow(props, { box, view, measure })
  const shown = windowOf(view.top, view.height, rowHeight, rows.length)
  const indexes = Array.from({ length: shown.to - shown.from }, (_, index) => shown.from + index)
  // The focused row stays in the document even if it is scrolled out of view.
  if (rows.length > 0 && !indexes.includes(activeIndex)) indexes.push(activeIndex)
  return (
    <div
      class="treegrid"
      role="treegrid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      style={{ '--columns': widths }}
      ref={box}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" class="grid-head">
        <div role="row" aria-rowindex={1} class="grid-row">
          {columns.map(({ id, title }) => (
            <div key={id} role="columnheader" class={`cell-${id}`}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${rows.length * rowHeight}px` }}>
        {indexes.map((index) => {
          const row = rows[index]
          if (!row) return null
          const pick = () => {
            setActive(row.id)
            props.onSelect(row)
          }
          return (
            <GridLine
              key={row.id}
              row={row}
              index={index}
              isActive={index === activeIndex}
              grid={props}
              onPick={pick}
            />
          )
        })}
      </div>
    </div>
  )
}

interface GridView {
  readonly box: { readonly current: HTMLDivElement | null }
  readonly view: { readonly top: number; readonly height: number }
  readonly measure: () => void
}

/**
 * Returns the index of the row that Tab focuses, a function to set it, and a handler for the keys that move the focus.
 */
function useRovingRow<Row extends GridRow>(props: TreeGridProps<Row>, { box, view, measure }: GridView) {
  const { rows, selected } = props
  const [active, setActive] = useState<string>()
  const wantsFocus = useRef(false)
  const known = active ?? selected
  const activeIndex = Math.max(0, known === undefined ? 0 : rows.findIndex((row) => row.id === known))
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    box.current?.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus({ preventScroll: true })
  })
  const moveTo = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index))
    const row = rows[to]
    if (!row) return
    wantsFocus.current = true
    setActive(row.id)
    reveal(box.current, to)
    measure()
    props.onSelect(row)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[activeIndex]
    if (!row || event.ctrlKey || event.metaKey || event.altKey || !isRow(event.target)) return
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1)
    const moves: Record<string, () => void> = {
      ArrowDown: () => moveTo(activeIndex + 1),
      ArrowUp: () => moveTo(activeIndex - 1),
      PageDown: () => moveTo(activeIndex + page),
      PageUp: () => moveTo(activeIndex - page),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      Enter: () => (props.onOpen ?? props.onSelect)(row),
      ' ': () => props.onSelect(row),
      ArrowRight: () => (row.isOpen === false ? props.onToggle?.(row, true) : moveTo(activeIndex + 1)),
      ArrowLeft: () => (row.isOpen ? props.onToggle?.(row, false) : moveTo(parentIndex(rows, activeIndex))),
    }
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    move()
  }
  return { activeIndex, setActive, onKeyDown }
}

interface GridLineProps<Row extends GridRow> {
  readonly row: Row
  readonly index: number
  readonly isActive: boolean
  readonly grid: TreeGridProps<Row>
  readonly onPick: () => void
}

function GridLine<Row extends GridRow>({ row, index, isActive, grid, onPick }: GridLineProps<Row>) {
  const { level, posInSet, setSize, isOpen } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its rows.
    <div
      role="row"
      class={`grid-row ${grid.classOf?.(row) ?? ''}`}
      aria-rowindex={index + 2}
      aria-level={level ?? 1}
      aria-posinset={posInSet ?? index + 1}
      aria-setsize={setSize ?? grid.rows.length}
      aria-expanded={isOpen}
      aria-selected={row.id === grid.selected}
      tabIndex={isActive ? 0 : -1}
      style={{ top: `${index * rowHeight}px`, '--level': (level ?? 1) - 1 }}
      onClick={onPick}
      onDblClick={() => grid.onOpen?.(row)}
    >
      {grid.columns.map(({ id, cell }, place) => (
        <div key={id} role="gridcell" class={`cell-${id}`}>
          {place === 0 && isOpen !== undefined ? (
            // biome-ignore lint/a11y/useKeyWithClickEvents: right and left do the same.
            // biome-ignore lint/a11y/noStaticElementInteractions: the row has the role and the state.
            <span
              class="twist"
              onClick={(event) => {
                event.stopPropagation()
                grid.onToggle?.(row, !isOpen)
              }}
            >
              {isOpen ? '▾' : '▸'}
            </span>
          ) : null}
          {cell(row)}
        </div>
      ))}
    </div>
  )
}

/** Returns the visible part of a list. Updated by `measure`, and when the list's size changes. */
function useView() {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const measure = () => {
    const element = box.current
    if (element) setView({ top: element.scrollTop, height: element.clientHeight })
  }
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() =>
      setView({ top: element.scrollTop, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { box, view, measure }
}

/** Scrolls a list just far enough to show a row below the column titles. */
function reveal(box: HTMLElement | null, index: number): void {
  if (!box) return
  const height = box.clientHeight - rowHeight
  box.scrollTop = scrollTo(index, rowHeight, { top: box.scrollTop, height })
}

function parentIndex(rows: readonly GridRow[], index: number): number {
  const level = rows[index]?.level ?? 1
  for (let at = index - 1; at >= 0; at -= 1) if ((rows[at]?.level ?? 1) < level) return at
  return index
}

function isRow(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.getAttribute('role') === 'row'
}
