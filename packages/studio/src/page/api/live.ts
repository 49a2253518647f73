import type { Entry, LiveEvents } from '../../types.js'

/** Callbacks for data from the server's live stream. */
export interface LiveListener {
  studio(studio: LiveEvents['studio']): void
  runs(runs: LiveEvents['runs']): void
  inbox(calls: LiveEvents['inbox']): void
  /** Called with the watched run's new entries, at most once per frame. */
  entries(run: string, entries: readonly Entry[]): void
  connection(isOpen: boolean): void
}

/** The live stream of a tab. Uses a single `EventSource`, which is closed while the tab is hidden. */
export interface Live {
  /** Watches a run instead of the previous one. `after` returns the `seq` of the last entry that the page has. */
  watch(run: string | undefined, after: () => number): void
  close(): void
}

export function openLive(listener: LiveListener): Live {
  let source: EventSource | undefined
  let watched: { run: string; after: () => number } | undefined
  let failures = 0
  let retry: ReturnType<typeof setTimeout> | undefined

  const stop = () => {
    clearTimeout(retry)
    source?.close()
    source = undefined
  }
  const start = () => {
    stop()
    if (document.hidden) return
    source = connect(watched, listener)
    source.addEventListener('open', () => {
      failures = 0
      listener.connection(true)
    })
    source.addEventListener('error', () => {
      listener.connection(false)
      // Otherwise the browser would reconnect with the old URL, and receive entries again that the page already has.
      stop()
      failures += 1
      retry = setTimeout(start, Math.min(5000, 250 * 2 ** failures))
    })
  }
  document.addEventListener('visibilitychange', start)
  start()
  return {
    watch: (run, after) => {
      if (run === watched?.run) return
      watched = run === undefined ? undefined : { run, after }
      start()
    },
    close: () => {
      stop()
      document.removeEventListener('visibilitychange', start)
    },
  }
}

function connect(
  watched: { readonly run: string; readonly after: () => number } | undefined,
  listener: LiveListener,
): EventSource {
  const query = watched && new URLSearchParams({ run: watched.run, after: String(watched.after()) })
  const source = new EventSource(query ? `/api/live?${query}` : '/api/live')
  const on = <Name extends keyof LiveEvents>(name: Name, use: (data: LiveEvents[Name]) => void) =>
    source.addEventListener(name, (event) => use(JSON.parse(event.data)))
  on('studio', (data) => listener.studio(data))
  on('runs', (data) => listener.runs(data))
  on('inbox', (data) => listener.inbox(data))
  if (watched) {
    const { run } = watched
    on(
      'entries',
      perFrame((entries) => listener.entries(run, entries)),
    )
  }
  return source
}

/** Collects entries, and passes them on together when the browser draws the next frame. */
function perFrame(use: (entries: readonly Entry[]) => void): (entries: readonly Entry[]) => void {
  let waiting: Entry[] = []
  return (entries) => {
    if (waiting.length === 0)
      requestAnimationFrame(() => {
        const batch = waiting
        waiting = []
        use(batch)
      })
    waiting.push(...entries)
  }
}
