import { hasLetterKeys } from './theme.js'

/**
 * A keyboard shortcut: one character, or two separated by a space. `does` is its description in the list of shortcuts.
 */
export interface Key {
  readonly key: string
  readonly does: string
  readonly run: () => void
}

const layers: { readonly title: string; readonly keys: () => readonly Key[] }[] = []
let prefix = ''

/**
 * Adds keyboard shortcuts, which take precedence over shortcuts that were added earlier. Returns a function that
 * removes them. Call this in a layout effect, so that a key that is pressed right after a click applies to the screen
 * that the click opened.
 */
export function addKeys(title: string, keys: () => readonly Key[]): () => void {
  const layer = { title, keys }
  layers.push(layer)
  return () => {
    const index = layers.indexOf(layer)
    if (index >= 0) layers.splice(index, 1)
  }
}

export function keysOfNow(): { readonly title: string; readonly keys: readonly Key[] }[] {
  return layers.map(({ title, keys }) => ({ title, keys: keys() }))
}

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (isTyping(event.target) || (event.key.length === 1 && !hasLetterKeys.value)) return
    if (document.querySelector('dialog[open]') || event.key.length !== 1) return
    const typed = prefix + event.key
    prefix = ''
    const found = [...layers].reverse().flatMap(({ keys }) => keys())
    const key = found.find((one) => one.key === typed)
    if (key) {
      event.preventDefault()
      key.run()
    } else if (found.some((one) => one.key.startsWith(`${typed} `))) {
      prefix = `${typed} `
    }
  })
}

/** Whether an element, such as a text field, takes keys as input. Those keys are not shortcuts. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'submit', 'file', 'range'].includes(target.type)
  return target.isContentEditable || ['TEXTAREA', 'SELECT', 'AUDIO', 'VIDEO'].includes(target.tagName)
}
