import { randomUUID } from 'node:crypto'
import {
  type AnyAgent,
  type Artifact,
  type Decisions,
  memoryArtifacts,
  type RunEvent,
  type RunState,
  type WireNoteCode,
} from '@capstan/core'
import { noUsage } from '@capstan/core/internal'
import { toNodeListener } from '@capstan/http/node'
import { HttpError } from '@capstan/http/parts'
import { explainNote } from '@capstan/testing/recording'
import { Access } from '../../src/server/access.js'
import { studioHandler } from '../../src/server/handler.js'
import { listen } from '../../src/server/listen.js'
import { type Route, toRouter } from '../../src/server/router.js'
import type { Entry, EntryContent, Exchange, InboxCall, RunSummary, Studio } from '../../src/types.js'

interface KeptRun {
  summary: RunSummary
  readonly entries: Entry[]
  readonly exchanges: Exchange[]
  readonly bytes: Map<string, Uint8Array>
  first?: RunState
  state?: RunState
  stop?: () => void
  send?: (text: string) => void
}

/** A studio in this process, to test only the page. Its agent is fake; request checks, cookies and headers are real. */
export class SmallStudio {
  readonly runs = new Map<string, KeptRun>()
  readonly artifacts = memoryArtifacts()
  /** The schemas of the arguments, by tool name. */
  schemas: Readonly<Record<string, unknown>> = {}
  readonly known = new Map<string, Artifact>()
  /** The bodies that the page has sent, by route. */
  readonly asked: { readonly route: string; readonly body: unknown }[] = []
  studio: Studio
  readonly #agent: AnyAgent | undefined
  readonly #listeners = new Set<(name: string, data: unknown, run?: string) => void>()

  constructor(agent?: AnyAgent, about: Partial<Studio> = {}) {
    this.#agent = agent
    this.studio = {
      version: '0.1.0',
      file: '/work/agent.ts',
      loaded: { version: 1, at: new Date().toISOString(), ms: 312 },
      service: 'local',
      agents: agent
        ? [{ name: agent.name, model: 'planner', tools: 2, findings: { error: 0, warning: 0, info: 0 } }]
        : [],
      durable: [],
      prompts: ['Look up the weather in Oslo'],
      disk: { runs: 0, bytes: 0 },
      ...about,
    }
  }

  /** Adds a run as if it were on disk. */
  keep(
    summary: Partial<RunSummary> & { readonly id: string },
    contents: readonly (EntryContent & { t?: number })[],
  ): KeptRun {
    const entries = contents.map((content, seq) => ({ seq, t: seq, ...content }) as Entry)
    const kept: KeptRun = {
      summary: { ...newSummary(summary.id, ''), ...summary },
      entries,
      exchanges: [],
      bytes: new Map(),
    }
    this.runs.set(summary.id, kept)
    return kept
  }

  change(about: Partial<Studio>): void {
    this.studio = { ...this.studio, ...about }
    this.#tell('studio', this.studio)
  }

  async start(
    page: string,
  ): Promise<{ readonly origin: string; readonly url: string; close(): Promise<void> }> {
    let listener: ReturnType<typeof toNodeListener> | undefined
    const listening = await listen((request, response) => void listener?.(request, response), 0)
    const access = new Access(listening.port)
    const api = toRouter(this.#routes())
    const host = { port: listening.port, allowed: [] }
    listener = toNodeListener(studioHandler({ host, access, page, api, onError: console.error }))
    const origin = `http://127.0.0.1:${listening.port}`
    return { origin, url: `${origin}/?token=${access.token}`, close: () => listening.close() }
  }

  #tell(name: string, data: unknown, run?: string): void {
    for (const listener of this.#listeners) listener(name, data, run)
  }

  #inbox(): InboxCall[] {
    return [...this.runs.values()].flatMap(({ summary, state }) =>
      summary.status === 'pending'
        ? (state?.pending ?? []).map((call) => ({
            source: 'studio' as const,
            agent: summary.agent,
            run: summary.id,
            call,
            about: summary.title,
            since: summary.startedAt,
            schema: this.schemas[call.name],
          }))
        : [],
    )
  }

  #update(run: KeptRun, change: Partial<RunSummary>): void {
    run.summary = { ...run.summary, ...change }
    this.#tell('runs', { changed: [run.summary], removed: [] })
    this.#tell('inbox', this.#inbox())
  }

  #add(run: KeptRun, content: EntryContent): void {
    const began = Date.parse(run.summary.startedAt)
    const entry = { seq: run.entries.length, t: Date.now() - began, ...content } as Entry
    run.entries.push(entry)
    this.#tell('entries', [entry], run.summary.id)
  }

  #begin(body: { input?: string; attachments?: readonly string[]; after?: string }): string {
    const id = randomUUID()
    const run: KeptRun = {
      summary: {
        ...newSummary(id, body.input ?? ''),
        status: 'running',
        agent: this.#agent?.name ?? '',
        ...(body.after && { after: body.after }),
      },
      entries: [],
      exchanges: [],
      bytes: new Map(),
    }
    this.runs.set(id, run)
    this.#update(run, {})
    const before = body.after === undefined ? undefined : this.runs.get(body.after)?.state
    const message = {
      role: 'user' as const,
      content: body.input ?? '',
      ...(body.attachments?.length && { media: body.attachments.map((artifact) => ({ artifact })) }),
    }
    void this.#work(run, [...(before?.messages ?? []), message])
    return id
  }

  async #work(run: KeptRun, input: unknown, round?: { decisions: Decisions; begun(): void }): Promise<void> {
    let checkpoint = 0
    let hasBegun = false
    const options = {
      artifacts: this.artifacts,
      observe: (event: RunEvent) => {
        if (round && !hasBegun) {
          hasBegun = true
          this.#update(run, { status: 'running' })
          this.#add(run, { round: 1, decisions: round.decisions })
          round.begun()
        }
        this.#add(run, { event })
      },
      onCheckpoint: (state: RunState) => {
        run.first ??= structuredClone(state)
        this.#add(run, { checkpoint: checkpoint++, step: state.stepCount })
      },
      ...(round && { decisions: round.decisions }),
    }
    try {
      const running = this.#agent?.stream(input as never, options as never)
      if (!running) throw new Error('no agent')
      run.stop = () => running.abort()
      run.send = (text) => running.send(text)
      const result = await running.result
      run.state = result.state as RunState
      const isPending = result.stopReason === 'pending'
      this.#update(run, {
        status: isPending ? 'pending' : 'ended',
        stopReason: result.stopReason,
        usage: result.usage,
        endedAt: new Date().toISOString(),
        workedMs: run.entries.at(-1)?.t ?? 0,
      })
    } catch (error) {
      if (round && !hasBegun) throw error
      this.#update(run, { status: 'failed', error: { code: 'internal', message: String(error) } })
    }
  }

  #run(id: string | undefined): KeptRun {
    const run = this.runs.get(id ?? '')
    if (!run) throw new HttpError(404, 'not_found', 'No such run.')
    return run
  }

  #routes(): Route[] {
    const json = (body: unknown, status = 200) => Response.json(body, { status })
    const empty = () => new Response(null, { status: 204 })
    const bodyOf = async (request: Request, route: string) => {
      const body = await request.json()
      this.asked.push({ route, body })
      return body
    }
    return [
      { method: 'GET', path: '/api/studio', answer: () => json(this.studio) },
      {
        method: 'GET',
        path: '/api/live',
        answer: ({ url }) =>
          this.#live(url.searchParams.get('run') ?? undefined, Number(url.searchParams.get('after') ?? -1)),
      },
      {
        method: 'GET',
        path: '/api/runs',
        answer: () => json({ runs: [...this.runs.values()].map(({ summary }) => summary) }),
      },
      { method: 'GET', path: '/api/inbox', answer: () => json(this.#inbox()) },
      {
        method: 'POST',
        path: '/api/runs',
        answer: async ({ request }) => json({ id: this.#begin(await bodyOf(request, 'runs')) }, 201),
      },
      {
        method: 'GET',
        path: '/api/runs/:run',
        answer: ({ params }) => json(this.#run(params.run).summary),
      },
      {
        method: 'GET',
        path: '/api/runs/:run/entries',
        answer: ({ params, url }) => {
          const after = Number(url.searchParams.get('after') ?? -1)
          const limit = Number(url.searchParams.get('limit') ?? 1e9)
          const lines = this.#run(params.run)
            .entries.filter(({ seq }) => seq > after)
            .slice(0, limit)
          return new Response(lines.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
        },
      },
      {
        method: 'GET',
        path: '/api/runs/:run/states/:number',
        answer: ({ params }) => {
          const { first } = this.#run(params.run)
          const title = this.#run(params.run).summary.title
          return json({ messages: first?.messages ?? [{ role: 'user', content: title }] })
        },
      },
      {
        method: 'POST',
        path: '/api/runs/:run/decisions',
        answer: async ({ params, request }) => {
          const { decisions } = await bodyOf(request, 'decisions')
          const run = this.#run(params.run)
          await new Promise<void>((begun, refused) => {
            this.#work(run, run.state, { decisions, begun }).catch((error) =>
              refused(new HttpError(422, 'invalid_arguments', error.message)),
            )
          })
          return json({ round: 1 }, 202)
        },
      },
      {
        method: 'POST',
        path: '/api/runs/:run/stop',
        answer: ({ params }) => {
          this.#run(params.run).stop?.()
          return empty()
        },
      },
      {
        method: 'POST',
        path: '/api/runs/:run/messages',
        answer: async ({ params, request }) => {
          this.#run(params.run).send?.((await bodyOf(request, 'messages')).text)
          return empty()
        },
      },
      {
        method: 'GET',
        path: '/api/runs/:run/exchanges',
        answer: ({ params }) =>
          json(
            this.#run(params.run).exchanges.map(({ notes, ...exchange }) => ({
              ...exchange,
              notes: notes.map((note) => ({
                ...note,
                sentence: explainNote({ code: note.code as WireNoteCode }),
              })),
            })),
          ),
      },
      ...(['request', 'response'] as const).map((side) => ({
        method: 'GET' as const,
        path: `/api/runs/:run/exchanges/:number/${side}`,
        answer: ({ params }: { params: Readonly<Record<string, string>> }) => {
          const bytes = this.#run(params.run).bytes.get(`${params.number}/${side}`) ?? new Uint8Array()
          return new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/plain' } })
        },
      })),
      {
        method: 'POST',
        path: '/api/artifacts',
        answer: async ({ request }) => {
          const mediaType = request.headers.get('content-type') ?? ''
          const kind = mediaType.startsWith('image/')
            ? 'image'
            : mediaType.startsWith('audio/')
              ? 'audio'
              : 'file'
          const bytes = new Uint8Array(await request.arrayBuffer())
          const artifact = await this.artifacts.put(bytes, { kind, mediaType })
          this.known.set(artifact.id, artifact)
          return json(artifact, 201)
        },
      },
      {
        method: 'GET',
        path: '/api/artifacts/:artifact',
        answer: async ({ params }) => {
          const id = params.artifact as Artifact['id']
          const type = this.known.get(id)?.mediaType ?? 'image/png'
          return new Response(await this.artifacts.open(id), {
            headers: { 'content-type': type },
          })
        },
      },
    ]
  }

  /** Streams changes, and the entries of `run` whose `seq` is above `after`. */
  #live(run: string | undefined, after: number): Response {
    const encoder = new TextEncoder()
    let stop = () => {}
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const listener = (name: string, data: unknown, of?: string) => {
          if (of !== undefined && of !== run) return
          controller.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))
        }
        listener('studio', this.studio)
        listener('inbox', this.#inbox())
        // A run can add entries, and end, between the response to the page's last request and this one.
        const missed = this.runs.get(run ?? '')?.entries.filter(({ seq }) => seq > after) ?? []
        if (missed.length > 0) listener('entries', missed, run)
        this.#listeners.add(listener)
        stop = () => this.#listeners.delete(listener)
      },
      cancel: () => stop(),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

function newSummary(id: string, title: string): RunSummary {
  return {
    schema: 1,
    id,
    kind: 'run',
    agent: 'traveller',
    title,
    status: 'ended',
    stopReason: 'done',
    startedAt: new Date().toISOString(),
    workedMs: 0,
    rounds: 1,
    steps: 0,
    toolCalls: 0,
    usage: noUsage,
    artifacts: [],
    source: { version: 1, program: 'studio', pid: 1 },
    models: ['planner'],
    isLocalService: true,
  }
}
