import { computed, signal } from '@preact/signals'

/**
 * The parts of the page's URL, which contains every selection. Selections therefore survive reloading, going back and
 * opening a second tab.
 */
interface Route {
  /** The path's segments, decoded. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** Splits a URL into its parts. Segments that cannot be decoded are not changed. */
function toRoute(address: string): Route {
  const { pathname, searchParams } = new URL(address, 'http://page')
  const path = pathname.split('/').filter((part) => part !== '')
  return { path: path.map(decode), query: Object.fromEntries(searchParams) }
}

/** Builds a URL within the page. Omits absent and empty values from the query. */
export function toAddress(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value)
  const text = search.toString()
  return `/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const current = signal<Route>({ path: [], query: {} })
export const route = computed(() => current.value)

/** Navigates to a URL within the page. With `replace`, adds no entry to the browser's history. */
export function go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(undefined, '', address)
  else history.pushState(undefined, '', address)
  current.value = toRoute(location.href)
}

/**
 * Changes values in the query of the current URL. Setting a value to undefined removes it. Adds no entry to the
 * history.
 */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  go(toAddress(current.value.path, { ...current.value.query, ...change }), { replace: true })
}

/** Keeps `route` up to date when the user clicks a link within the page or goes back or forward. */
export function startRouting(): void {
  current.value = toRoute(location.href)
  addEventListener('popstate', () => {
    current.value = toRoute(location.href)
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const href = link?.getAttribute('href')
    if (!link || !href?.startsWith('/') || /^\/(api\/|\/)/.test(href)) return
    if (link.target || link.hasAttribute('download') || event.defaultPrevented) return
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(href)
  })
}
