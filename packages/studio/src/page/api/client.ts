import type { Artifact, Decision, Decisions, Limits } from '@capstan/core'
import type {
  AgentAnswer,
  Comparison,
  Entry,
  Exchange,
  InboxCall,
  Lineage,
  RunSummary,
  StartRun,
  StateAnswer,
  Studio,
  ToolInfo,
} from '../../types.js'

/** A failed request to the studio's server. `status` is 0 if the server could not be reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
  ) {
    super(message)
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** The HTTP API of the studio's server. Each function rejects with an `ApiError` if its request fails. */
export const api = {
  studio: () => getJson<Studio>(url`/api/studio`),
  agent: (name: string) => getJson<AgentAnswer>(url`/api/agents/${name}`),
  startRun: (body: StartRun) =>
    starting(body.fork?.run ?? body.after, () => send<{ id: string }>('POST', url`/api/runs`, body)),
  runs: (query: Query = {}) => getJson<{ runs: RunSummary[]; next?: string }>(url`/api/runs` + search(query)),
  run: (id: string) => getJson<RunSummary>(url`/api/runs/${id}`),
  changeRun: (id: string, change: { isPinned?: boolean; title?: string }) =>
    send('PATCH', url`/api/runs/${id}`, change),
  removeRun: (id: string) => send('DELETE', url`/api/runs/${id}`),
  entries: async (id: string, query: Query = {}): Promise<Entry[]> => {
    const text = await (await ask(url`/api/runs/${id}/entries` + search(query))).text()
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Entry]))
  },
  /**
   * Loads a value that was too long for its entry. `part` is `SEQ/PATH`: the entry's `seq` and the path of the value.
   */
  part: (id: string, part: string) => getJson<unknown>(`${url`/api/runs/${id}/parts/`}${encodePath(part)}`),
  stop: (id: string) => send('POST', url`/api/runs/${id}/stop`, {}),
  sendText: (id: string, text: string) => send('POST', url`/api/runs/${id}/messages`, { text }),
  decide: (id: string, decisions: Decisions, allowChangedTools?: boolean) =>
    starting(id, () =>
      send('POST', url`/api/runs/${id}/decisions`, {
        decisions,
        ...(allowChangedTools && { allowChangedTools }),
      }),
    ),
  resume: (id: string, limits?: Limits) =>
    starting(id, () => send('POST', url`/api/runs/${id}/resume`, limits ? { limits } : {})),
  comparison: (a: string, b: string) => getJson<Comparison>(`/api/comparison${search({ a, b })}`),
  exchanges: (id: string) => getJson<Exchange[]>(url`/api/runs/${id}/exchanges`),
  /** Loads the bytes that were sent or received, without secrets. */
  bytes: async (id: string, exchange: number, side: 'request' | 'response'): Promise<Uint8Array> =>
    new Uint8Array(await (await ask(bytesAddress(id, exchange, side))).arrayBuffer()),
  state: (id: string, checkpoint: number) => getJson<StateAnswer>(url`/api/runs/${id}/states/${checkpoint}`),
  explain: async (id: string): Promise<string> => (await ask(url`/api/runs/${id}/explain`)).text(),
  check: (id: string, tools?: 'recorded' | 'run') =>
    starting(id, () => send<CheckAnswer>('POST', url`/api/runs/${id}/check`, tools ? { tools } : {})),
  exportTest: (
    id: string,
    body: { path?: string; style: 'replay' | 'script'; preview?: boolean; replace?: boolean },
  ) =>
    starting(id, () =>
      send<{ path: string; recording: string; text: string }>('POST', url`/api/runs/${id}/test`, body),
    ),
  tools: () => getJson<ToolInfo[]>(url`/api/tools`),
  callTool: (name: string, body: { arguments: unknown; agent?: string }) =>
    send<{ id: string }>('POST', url`/api/tools/${name}/calls`, body),
  artifacts: (query: Query = {}) =>
    getJson<{ artifacts: Artifact[]; next?: string }>(url`/api/artifacts` + search(query)),
  aboutArtifact: (id: string) =>
    getJson<{ artifact: Artifact; parents: Artifact[]; children: Artifact[]; runs: string[] }>(
      url`/api/artifacts/${id}/about`,
    ),
  lineage: (query: Query) => getJson<Lineage>(url`/api/lineage` + search(query)),
  inbox: () => getJson<InboxCall[]>(url`/api/inbox`),
  decideDurable: (name: string, run: string, callId: string, decision: Decision) =>
    send('POST', url`/api/durable/${name}/${run}/decisions`, { callId, decision }),
  upload: async (file: File): Promise<Artifact> => {
    const headers = {
      'content-type': file.type || 'application/octet-stream',
      'x-file-name': encodeURIComponent(file.name),
      'x-capstan-studio': '1',
    }
    return (await ask('/api/artifacts', { method: 'POST', body: file, headers })).json()
  },
}

export type CheckAnswer =
  | { readonly same: true }
  | {
      readonly same: false
      readonly at: string
      readonly expected: unknown
      readonly seen: unknown
      readonly message: string
    }

/** Returns the URL of an artifact's bytes. With `isDownload`, the browser saves them instead of showing them. */
export function artifactAddress(id: string, isDownload = false): string {
  return url`/api/artifacts/${id}` + (isDownload ? '?download' : '')
}

export function bytesAddress(run: string, exchange: number, side: 'request' | 'response'): string {
  return url`/api/runs/${run}/exchanges/${exchange}/${side}`
}

/** Called for each response with status 401: the cookie is missing or no longer valid. */
let onUnauthorized: () => void = () => {}
export function whenUnauthorized(listener: () => void): void {
  onUnauthorized = listener
}

let askForeign: (run: string) => Promise<boolean> = async () => false
/** Sets `ask`, which asks the user whether to trust a run from another machine or folder. */
export function whenForeign(ask: (run: string) => Promise<boolean>): void {
  askForeign = ask
}

/** Calls `start`. If the server rejects the run as foreign and the user trusts it, calls `start` again. */
async function starting<Answer>(run: string | undefined, start: () => Promise<Answer>): Promise<Answer> {
  try {
    return await start()
  } catch (error) {
    const isForeign = error instanceof ApiError && error.code === 'foreign_run'
    if (!isForeign || run === undefined || !(await askForeign(run))) throw error
    await send('PATCH', url`/api/runs/${run}`, { isTrusted: true })
    return start()
  }
}

async function getJson<Answer>(address: string): Promise<Answer> {
  return (await ask(address)).json()
}

async function send<Answer = void>(method: string, address: string, body?: unknown): Promise<Answer> {
  const headers = method === 'DELETE' ? { 'x-capstan-studio': '1' } : { 'content-type': 'application/json' }
  const response = await ask(address, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

async function ask(address: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(address, init)
  } catch {
    throw new ApiError('Cannot reach the studio. Is `capstan studio` still running?', 0, 'unreachable')
  }
  if (response.ok) return response
  if (response.status === 401) onUnauthorized()
  const { error } = (await response.json().catch(() => ({}))) as {
    error?: { message?: string; code?: string; type?: string }
  }
  const message = error?.message ?? `The studio responded with status ${response.status}.`
  throw new ApiError(message, response.status, error?.code ?? error?.type ?? String(response.status))
}

function url(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((text, part, index) => text + encodeURIComponent(values[index - 1] ?? '') + part)
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

function search(query: Query): string {
  const parts = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parts.set(name, String(value))
  const text = parts.toString()
  return text && `?${text}`
}

/** Returns the text that the page shows for a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
