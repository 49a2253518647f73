import { type NodeListener, toNodeListener } from '@capstan/http/node'
import type { Studio } from '../types.js'
import { Access } from './access.js'
import { studioHandler } from './handler.js'
import { listen } from './listen.js'
import { toRouter } from './router.js'
import { pageFolder } from './static-files.js'

/** Options of `startStudio`. */
export interface StudioOptions {
  /** The file that exports agents. Without one, only runs on disk are shown. */
  readonly file?: string
  /** Default: 4200, else the next free one. 0 picks a free one. */
  readonly port?: number
  /** More host names that are answered, for forwarded ports. Listening stays on loopback addresses. */
  readonly allowHosts?: readonly string[]
  /** The folder of the built page. Default: the one of this package. */
  readonly page?: string
  /** Receives what the terminal should show. Default: `console.error`. */
  log?(line: string): void
}

/** A running studio. */
export interface RunningStudio {
  /** The link that opens the page, with the token. */
  readonly url: string
  /** Such as `http://127.0.0.1:4200`. */
  readonly origin: string
  readonly token: string
  close(): Promise<void>
}

/** Starts the studio. Rejects when the given port is in use. */
export async function startStudio(options: StudioOptions = {}): Promise<RunningStudio> {
  const { port, allowHosts = [], page = pageFolder(), log = console.error } = options
  let listener: NodeListener | undefined
  const listening = await listen((request, response) => void listener?.(request, response), port)
  const access = new Access(listening.port)
  const api = toRouter([{ method: 'GET', path: '/api/studio', answer: () => Response.json(about(options)) }])
  const host = { port: listening.port, allowed: allowHosts }
  const onError = (error: unknown) =>
    log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  listener = toNodeListener(studioHandler({ host, access, page, api, onError }))
  const origin = `http://127.0.0.1:${listening.port}`
  return {
    url: `${origin}/?token=${access.token}`,
    origin,
    token: access.token,
    close: () => listening.close(),
  }
}

function about({ file }: StudioOptions): Studio {
  const disk = { runs: 0, bytes: 0 }
  const named = file === undefined ? {} : { file }
  return { version: version(), ...named, agents: [], durable: [], prompts: [], disk }
}

function version(): string {
  return '0.1.0'
}
