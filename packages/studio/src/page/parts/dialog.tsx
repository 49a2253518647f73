import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icons.js'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** `dialog` is centred, and `drawer` is at the right edge. Default `dialog`. */
  readonly kind?: 'dialog' | 'drawer'
  readonly children: ComponentChildren
}

/**
 * A modal dialog. The focus stays inside it. When the dialog closes, the focus returns to the element that was focused
 * before.
 */
export function Dialog({ title, onClose, kind = 'dialog', children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog ref={element} class={kind} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}
