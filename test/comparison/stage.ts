// Plays one case with one framework, and notes what happened.
import { inspect } from 'node:util'
import type { Feature, Opened, Outcome, Peer, Script, Setup, ToolSpec } from './peer.js'
import { type Answer, type Sent, type Server, startServer } from './server.js'
import { type ToolName, toolbox } from './toolbox.js'

export interface Case {
  /** Stays the same when the row is reworded. */
  readonly id: string
  /** The row, in Markdown. */
  readonly row: string
  /** Longest that it may take. Default 15. */
  readonly seconds?: number
  /** Which it needs; frameworks without it have no cell. */
  readonly feature?: Feature
  readonly tools?: readonly ToolName[]
  /** `slow`: waits for seconds. `alone`: observes its process, which has to be its own. */
  readonly kind?: 'slow' | 'alone'
  readonly answers: readonly Answer[] | ((script: Script) => readonly Answer[])
  /** By default: one run. */
  play?(stage: Stage): Promise<void>
  cell(stage: Stage): string
}

/** A call that ran. */
export interface Ran {
  readonly name: string
  readonly args: Record<string, unknown>
}

/** What a case saw. */
export class Stage {
  readonly ran: Ran[] = []
  /** Outcomes of the runs, in order. */
  readonly outcomes: Outcome[] = []
  /** What the caller caught. */
  error: unknown
  /** Rejections that nobody handled. */
  readonly unhandled: unknown[] = []
  /** What was written to the console. */
  printed = ''
  /** Hosts that were contacted, except the server. */
  readonly hosts = new Set<string>()
  /** Highest number of calls that ran at the same time. */
  busiest = 0
  /** Whatever a case notes for its cell. */
  readonly notes: Record<string, unknown> = {}
  /** Names that all objects have since the case was played. */
  polluted: string[] = []
  readonly #running = new Set<object>()

  constructor(
    readonly peer: Peer,
    readonly played: Case,
    readonly server: Server,
    readonly isMended: boolean,
  ) {}

  async open(changes: Partial<Setup> = {}): Promise<Opened> {
    const { tools = ['add', 'now', 'fail', 'big'] } = this.played
    return this.peer.open({ ...this.setup, tools: tools.map((name) => this.tool(name)), ...changes })
  }

  get setup(): Omit<Setup, 'tools'> {
    const { id, feature } = this.played
    return {
      baseURL: `${this.server.url}/v1`,
      apiKey: 'sk-of-the-comparison',
      id,
      folder: `${id} ${this.isMended}`,
      ...(feature && { feature }),
      ...(this.isMended && { isMended: true }),
    }
  }

  /** A tool that notes its calls. */
  tool(name: ToolName): ToolSpec {
    const spec = toolbox[name]
    return {
      ...spec,
      execute: async (args, signal) => {
        const one = { name: spec.name, args }
        this.ran.push(one)
        this.#running.add(one)
        this.busiest = Math.max(this.busiest, this.#running.size)
        try {
          return await spec.execute(args, signal)
        } finally {
          this.#running.delete(one)
        }
      },
    }
  }

  /** The last outcome. */
  get last(): Outcome {
    return this.outcomes.at(-1) ?? {}
  }

  get requests() {
    return this.server.requests
  }

  /** Results of tools, as the model reads them in the last request. */
  get told(): string[] {
    const messages: readonly Sent[] = this.requests.at(-1)?.body.messages ?? []
    return messages.flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []))
  }

  times(name: string): number {
    return this.ran.filter((one) => one.name === name).length
  }

  /** The error as a log would have it. */
  get shownError(): string {
    return this.error === undefined ? '' : inspect(this.error, { depth: 8 })
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

export interface PlayOptions {
  readonly isMended?: boolean
  /** Longest that a case may take; some frameworks repeat for minutes. */
  readonly seconds?: number
  watch?(stage: Stage): () => void
}

/** What the defaults do, and what the option does that mends it. */
export async function cellOf(peer: Peer, played: Case, options: PlayOptions = {}): Promise<string> {
  const option = peer.mends?.[played.id]
  // First: what the defaults start in the background goes on in the second one.
  const mended = option && (await playCase(peer, played, { ...options, isMended: true }))
  const usual = await playCase(peer, played, options)
  return mended === undefined || mended === usual ? usual : `${usual}; with ${option}: ${mended}`
}

/** The cell of one case and one framework. */
async function playCase(
  peer: Peer,
  played: Case,
  { isMended = false, seconds = played.seconds ?? 15, watch }: PlayOptions = {},
): Promise<string> {
  const { feature, answers } = played
  if (feature && !peer.features.includes(feature)) return 'no such feature'
  const server = await startServer(typeof answers === 'function' ? answers(peer.script ?? {}) : answers)
  const stage = new Stage(peer, played, server, isMended)
  const unwatch = watch?.(stage)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), seconds * 1000)
  })
  try {
    const end = await Promise.race([play(stage), late])
    if (end === 'late') return `still busy after ${seconds} s`
    stage.polluted = cleanPrototype()
    return played.cell(stage)
  } finally {
    cleanPrototype()
    clearTimeout(timer)
    unwatch?.()
    server.close()
  }
}

/** Removes what a case added to the prototype of all objects. */
function cleanPrototype(): string[] {
  const added = Object.keys(Object.prototype)
  for (const name of added) Reflect.deleteProperty(Object.prototype, name)
  return added
}

async function play(stage: Stage): Promise<void> {
  try {
    if (stage.played.play) await stage.played.play(stage)
    else stage.outcomes.push(await (await stage.open()).run('Go.'))
  } catch (error) {
    stage.error = error
  }
}
