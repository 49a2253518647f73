import { computed, signal } from '@preact/signals'

/** The page's URL, in parts. It contains every selection, so that reload, back and a second tab work. */
interface Route {
  /** The decoded parts of the path. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** Splits a URL into its parts. A part that cannot be decoded stays unchanged. */
function toRoute(address: string): Route {
  const { pathname, searchParams } = new URL(address, 'http://page')
  const path = pathname.split('/').filter((part) => part !== '')
  return { path: path.map(decode), query: Object.fromEntries(searchParams) }
}

/** Builds a URL. Absent and empty values are omitted from the query. */
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

/** Navigates to a URL. `replace` adds nothing to the browser's history. */
export function go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(undefined, '', address)
  else history.pushState(undefined, '', address)
  current.value = toRoute(location.href)
}

/** Changes parts of the current URL's query, without adding to the browser's history. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  go(toAddress(current.value.path, { ...current.value.query, ...change }), { replace: true })
}

/** Follows the browser's history and links within the page. */
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
