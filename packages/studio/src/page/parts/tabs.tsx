import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab {
  readonly id: string
  readonly title: string
  /** A number to show next to the title, unless it is 0. */
  readonly count?: number
  readonly content: () => ComponentChildren
}

interface TabsProps {
  /** The tab list's name for screen readers. */
  readonly label: string
  readonly tabs: readonly Tab[]
  /** The id of the open tab. If no tab has this id, the first tab is open. */
  readonly open: string | undefined
  readonly onOpen: (id: string) => void
}

/** A tab list and the panel of the open tab. The arrow keys move between the tabs. */
export function Tabs({ label, tabs, open, onOpen }: TabsProps) {
  const prefix = useId()
  const current = tabs.find(({ id }) => id === open) ?? tabs[0]
  const onKeyDown = (event: KeyboardEvent) => {
    const at = current ? tabs.indexOf(current) : -1
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onOpen(next.id)
    document.getElementById(`${prefix}${next.id}`)?.focus()
  }
  if (!current) return null
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, count }) => (
          <button
            key={id}
            id={prefix + id}
            type="button"
            role="tab"
            aria-selected={id === current.id}
            aria-controls={`${prefix}panel`}
            tabIndex={id === current.id ? 0 : -1}
            onClick={() => onOpen(id)}
          >
            {title}
            {count ? <span class="count">{count}</span> : null}
          </button>
        ))}
      </div>
      <div
        class="tab-panel"
        role="tabpanel"
        id={`${prefix}panel`}
        aria-labelledby={prefix + current.id}
        tabIndex={0}
      >
        {current.content()}
      </div>
    </div>
  )
}
