import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from './cluster.js'

interface SentEvent {
  readonly id: number
  readonly event: string
  readonly data: string
}

export interface Followed {
  readonly events: readonly SentEvent[]
  /** What did not hold. */
  readonly faults: readonly string[]
  /** The result of a run that did not end as done. */
  readonly failure?: string
}

/**
 * Starts a run, reads it to its end over whichever process lives, and decides on its calls. Returns undefined when it
 * cannot be started.
 */
export async function followRun(nodes: readonly Node[]): Promise<Followed | undefined> {
  const events: SentEvent[] = []
  const faults: string[] = []
  let turn = 0
  const at = (path: string) => `http://127.0.0.1:${nodes[turn++ % nodes.length]?.port}${path}`
  const headers = { 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(at(path), { method: 'POST', headers, body: JSON.stringify(body) })
  const started = await post('/runs', { input: 'Go.', session: crypto.randomUUID() }).catch(() => undefined)
  const runId = started?.headers.get('x-run-id')
  if (!started?.ok || !runId) return undefined
  let result = await readEvents(started, events)
  for (let tries = 0; tries < 2000; tries++) {
    const last = events.at(-1)?.id ?? -1
    if (!result) {
      await sleep(20)
      const response = await fetch(at(`/runs/${runId}/events?after=${last}`)).catch(() => undefined)
      if (response?.ok) result = await readEvents(response, events)
      else if (response && response.status < 500)
        faults.push(`events: ${response.status} ${await response.text()}`)
      continue
    }
    const { stopReason, pending = [] } = JSON.parse(result)
    if (stopReason !== 'pending') {
      checkSeqs(runId, events, faults)
      const again: SentEvent[] = []
      const response = await fetch(at(`/runs/${runId}/events`)).catch(() => undefined)
      const isWhole = response?.ok && (await readEvents(response, again)) !== undefined
      if (isWhole && JSON.stringify(again) !== JSON.stringify(events))
        faults.push(`run ${runId}: what was told is not what is stored`)
      return { events, faults, ...(stopReason !== 'done' && { failure: `run ${runId} ended as ${result}` }) }
    }
    result = undefined
    for (const { callId } of pending) {
      const body = { callId, decision: { type: 'approve' } }
      const response = await post(`/runs/${runId}/decisions`, body).catch(() => undefined)
      if (response && response.status >= 400 && response.status < 500)
        faults.push(`decision: ${response.status} ${await response.text()}`)
    }
  }
  faults.push(`run ${runId} does not end`)
  return { events, faults }
}

function checkSeqs(runId: string, events: readonly SentEvent[], faults: string[]): void {
  for (const [index, { id }] of events.entries())
    if (id !== index) return void faults.push(`run ${runId}: event ${index} has the number ${id}`)
}

/** Reads a stream as far as it goes. Returns the result, if it came. */
async function readEvents(response: Response, events: SentEvent[]): Promise<string | undefined> {
  let text = ''
  const take = () => {
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end)
      text = text.slice(end + 2)
      if (block.startsWith(':')) continue
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)))
      if (fields.event === 'result' || fields.event === 'error') return fields.data as string
      events.push({ id: Number(fields.id), event: fields.event, data: fields.data })
    }
    return undefined
  }
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      const result = take()
      if (result !== undefined) return result
    }
  } catch {
    // The process was killed.
  }
  return undefined
}
