import { computed, signal } from '@preact/signals'
import type { InboxCall, RunSummary, Studio } from '../../types.js'
import { ApiError, api, messageOf, whenUnauthorized } from './client.js'
import { type Live, openLive } from './live.js'
import { RunView } from './run-view.js'

/** The server's state as last received. Screens read these signals. */
export const studio = signal<Studio | undefined>(undefined)
export const runs = signal<ReadonlyMap<string, RunSummary>>(new Map())
export const inbox = signal<readonly InboxCall[]>([])
/** The connection's state. `unauthorized`: the page has no cookie, and needs the link in the terminal. */
export const connection = signal<'connecting' | 'open' | 'lost' | 'unauthorized'>('connecting')

/** A message that the page announces and shows briefly. */
export const notice = signal<{ readonly text: string; readonly isError: boolean; readonly number: number }>({
  text: '',
  isError: false,
  number: 0,
})

/** Runs on disk, newest first. */
export const newestRuns = computed(() =>
  [...runs.value.values()].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1)),
)

const mostViews = 12
const views = new Map<string, RunView>()
let live: Live | undefined
/** The run that the page follows. A run may be loaded before the live stream is open. */
let followed: string | undefined

/** Loads the server's state and follows its changes. */
export function startState(): void {
  whenUnauthorized(() => {
    connection.value = 'unauthorized'
    live?.close()
    live = undefined
  })
  void load()
}

async function load(): Promise<void> {
  try {
    studio.value = await api.studio()
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return
    connection.value = 'lost'
  }
  live = openLive({
    studio: (value) => {
      studio.value = value
    },
    runs: ({ changed, removed }) => changeRuns(changed, removed),
    inbox: (calls) => {
      inbox.value = calls
    },
    entries: (run, entries) => views.get(run)?.add(entries),
    connection: (isOpen) => {
      if (connection.value === 'unauthorized') return
      connection.value = isOpen ? 'open' : 'lost'
      // An event source tells no status: another request finds out whether the cookie is still right.
      if (!isOpen) void api.studio().catch(() => {})
      else void loadLists()
    },
  })
  watchFollowed()
}

function watchFollowed(): void {
  const run = followed
  if (run !== undefined) live?.watch(run, () => viewOf(run).tree.lastSeq)
}

async function loadLists(): Promise<void> {
  try {
    const [list, calls] = await Promise.all([api.runs({ limit: 100 }), api.inbox()])
    changeRuns(list.runs, [])
    inbox.value = calls
  } catch {
    // The stream of changes continues without them.
  }
}

function changeRuns(changed: readonly RunSummary[], removed: readonly string[]): void {
  const next = new Map(runs.value)
  for (const run of changed) next.set(run.id, run)
  for (const id of removed) next.delete(id)
  runs.value = next
}

/** Adds summaries that a screen has loaded itself. */
export function keepRuns(list: readonly RunSummary[]): void {
  changeRuns(list, [])
}

/** Removes a run that was deleted. */
export function forgetRun(id: string): void {
  changeRuns([], [id])
  views.delete(id)
}

/** Returns a run with its entries, and starts to load them. The last opened runs are cached. */
export function viewOf(id: string): RunView {
  const known = views.get(id) ?? new RunView(id)
  views.delete(id)
  views.set(id, known)
  for (const old of views.keys()) {
    if (views.size <= mostViews) break
    views.delete(old)
  }
  return known
}

/** Follows a run while it is in progress. A tab follows one run at a time. */
export async function follow(id: string): Promise<void> {
  const view = viewOf(id)
  await view.load()
  followed = id
  watchFollowed()
}

/** Loads the summary of a run that is not among the newest. */
export async function loadRun(id: string): Promise<RunSummary | undefined> {
  const known = runs.value.get(id)
  if (known) return known
  const run = await api.run(id).catch(() => undefined)
  if (run) changeRuns([run], [])
  return run
}

/** Shows a message to the user. */
export function tell(text: string, isError = false): void {
  notice.value = { text, isError, number: notice.value.number + 1 }
}

/** Runs a user's action, and shows its failure. */
export async function attempt<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await action()
  } catch (error) {
    tell(messageOf(error), true)
    return undefined
  }
}
