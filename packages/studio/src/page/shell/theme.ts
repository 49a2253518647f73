import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
const order: readonly Theme[] = ['system', 'light', 'dark']

/** The selected theme. `system` follows the browser's setting. */
export const theme = signal<Theme>('system')
/** Whether single letters are keyboard shortcuts. People who use speech input can switch this off. */
export const hasLetterKeys = signal(true)

export function startTheme(): void {
  const kept = localStorage.getItem('theme')
  apply(order.find((name) => name === kept) ?? 'system')
  hasLetterKeys.value = localStorage.getItem('letter-keys') !== 'off'
}

/** Switches to the next theme (system, light, dark, and so on) and remembers it in this browser. */
export function nextTheme(): void {
  apply(order[(order.indexOf(theme.value) + 1) % order.length] ?? 'system')
  localStorage.setItem('theme', theme.value)
}

export function setLetterKeys(on: boolean): void {
  hasLetterKeys.value = on
  localStorage.setItem('letter-keys', on ? 'on' : 'off')
}

function apply(chosen: Theme): void {
  theme.value = chosen
  if (chosen === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}
