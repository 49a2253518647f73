import { computed, signal } from '@preact/signals'
import type { InboxCall, RunSummary, Studio } from '../../types.js'
import { ApiError, api, messageOf, whenUnauthorized } from './client.js'
import { type Live, openLive } from './live.js'
import { RunView } from './run-view.js'

/** The server's latest data. Undefined until the server has responded. */
export const studio = signal<Studio | undefined>(undefined)
export const runs = signal<ReadonlyMap<string, RunSummary>>(new Map())
export const inbox = signal<readonly InboxCall[]>([])
/** `unauthorized`: the page has no valid cookie, so the user has to open the link in the terminal. */
export const connection = signal<'connecting' | 'open' | 'lost' | 'unauthorized'>('connecting')

/** The message that the page shows, and announces to screen readers, until the user hides it. */
export const notice = signal<{ readonly text: string; readonly isError: boolean; readonly number: number }>({
  text: '',
  isError: false,
  number: 0,
})

/** All runs that the page has loaded, newest first. */
export const newestRuns = computed(() =>
  [...runs.value.values()].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1)),
)

const mostViews = 12
const views = new Map<string, RunView>()
let live: Live | undefined
/** The run that the page follows. Stored here, because a run can be opened before the live stream is open. */
let followed: string | undefined

/** Loads the server's state, then applies the changes that the live stream sends. */
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
      // An event source does not report the status. This request checks whether the cookie is still valid.
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
    // The live stream also works without these lists.
  }
}

function changeRuns(changed: readonly RunSummary[], removed: readonly string[]): void {
  const next = new Map(runs.value)
  for (const run of changed) next.set(run.id, run)
  for (const id of removed) next.delete(id)
  runs.value = next
}

/** Adds run summaries that a screen has loaded itself. */
export function keepRuns(list: readonly RunSummary[]): void {
  changeRuns(list, [])
}

/** Removes a deleted run from the page's state. */
export function forgetRun(id: string): void {
  changeRuns([], [id])
  views.delete(id)
}

/** Returns a run's view. Keeps the views that were used most recently. Call `load` to load the entries. */
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

/** Loads a run's entries and follows new ones, instead of following the previous run. */
export async function follow(id: string): Promise<void> {
  const view = viewOf(id)
  await view.load()
  followed = id
  watchFollowed()
}

/** Returns a run's summary. Loads it if it is not among the newest runs. Undefined if loading fails. */
export async function loadRun(id: string): Promise<RunSummary | undefined> {
  const known = runs.value.get(id)
  if (known) return known
  const run = await api.run(id).catch(() => undefined)
  if (run) changeRuns([run], [])
  return run
}

/** Shows a message to the user, instead of the previous one. */
export function tell(text: string, isError = false): void {
  notice.value = { text, isError, number: notice.value.number + 1 }
}

/** Runs an action. If it fails, shows the error to the user and resolves to undefined. */
export async function attempt<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await action()
  } catch (error) {
    tell(messageOf(error), true)
    return undefined
  }
}
