import {
  Agent,
  type AgentOptions,
  type AnyTool,
  chatModel,
  effectKeys,
  type Message,
  type RunEvent,
  type RunOptions,
  type RunResult,
  type RunState,
} from '@capstan/core'
import { mediaTools } from '../../src/index.js'
import { base64, filledStore, wav } from '../artifacts.js'
import { type Answer, type Arrived, type MediaServer, startMediaServer } from '../media-server.js'
import { png } from '../png.js'
import type { Injection, Where } from './corpus.js'
import { gullible, type Wish } from './gullible.js'
import { deeds, guest, readers } from './tools.js'

/** An injection in its place, and the gullible model that finds it. */
export interface Stage {
  readonly server: MediaServer
  /** The tool that returns the text. */
  readonly by: string
  /** The read-only calls, in order. */
  readonly harmless: readonly string[]
  /** The actions that were executed. */
  readonly done: readonly string[]
  /** Runs like a new process: a new agent, the state from JSON. */
  run(input: string | RunState, options?: StageOptions): Promise<Played>
}

type StageOptions = Pick<AgentOptions<readonly AnyTool[]>, 'middleware' | 'policy'> &
  Pick<RunOptions, 'decisions'>

interface Played {
  readonly result: RunResult
  readonly events: readonly RunEvent[]
}

export async function setStage(injection: Injection): Promise<Stage> {
  const { store, image, recording } = await filledStore()
  const text = new TextEncoder().encode(injection.text)
  const note = await store.put(text, { kind: 'text', mediaType: 'text/plain' })
  const reads = firstCall[injection.where]({ recording: recording.id, note: note.id })
  const harmless = harmlessCalls(image.id, recording.id)
  const temptation = { reads, harmless, believes: injection.text, wants: injection.wants }
  const server = await startMediaServer((request) =>
    request.path.endsWith('/chat/completions')
      ? toCompletion(gullible(request.fields.messages as readonly Message[], temptation))
      : reply(request, injection, server),
  )
  const done: string[] = []
  const tools: readonly AnyTool[] = [
    ...mediaTools({ client: server.client }),
    ...readers(server.origin),
    ...deeds(done),
  ]
  return {
    server,
    by: reads.name,
    harmless: harmless.map(({ name }) => name),
    done,
    async run(input, { decisions, ...options } = {}) {
      const model = chatModel('gullible', server.client)
      const agent = new Agent({ model, tools, artifacts: store, features: [effectKeys()], ...options })
      const events: RunEvent[] = []
      const from = JSON.parse(JSON.stringify(input)) as string | RunState
      const observe = (event: RunEvent) => events.push(event)
      const given = { tools: [guest(server.origin)], observe, ...(decisions ? { decisions } : {}) }
      return { result: await agent.run(from, given), events }
    },
  }
}

const firstCall: Readonly<Record<Where, (ids: { recording: string; note: string }) => Wish>> = {
  page: () => ({ name: 'read_page', arguments: { path: '/page' } }),
  'failing page': () => ({ name: 'read_page', arguments: { path: '/broken' } }),
  recording: ({ recording }) => ({ name: 'transcribe_audio', arguments: { file: recording } }),
  'foreign recording': ({ recording }) => ({ name: 'translate_audio', arguments: { file: recording } }),
  'refused recording': ({ recording }) => ({ name: 'transcribe_audio', arguments: { file: recording } }),
  artifact: ({ note }) => ({ name: 'read_document', arguments: { id: note } }),
  'file list': () => ({ name: 'list_files', arguments: {} }),
  'guest tool': () => ({ name: 'ask_guest', arguments: {} }),
}

/** Everything that may still run: the six media tools, and one more read-only tool. */
function harmlessCalls(image: string, recording: string): readonly Wish[] {
  return [
    { name: 'look_up', arguments: { word: 'plum' } },
    { name: 'generate_image', arguments: { prompt: 'a plum' } },
    { name: 'edit_image', arguments: { image, prompt: 'a hat' } },
    { name: 'vary_image', arguments: { image } },
    { name: 'transcribe_audio', arguments: { file: recording } },
    { name: 'translate_audio', arguments: { file: recording } },
    { name: 'speak', arguments: { input: 'A plum.' } },
  ]
}

function toCompletion(message: object): Answer {
  return { body: { choices: [{ index: 0, message, finish_reason: 'stop' }] } }
}

/** The text is only where it was planted. */
function reply({ path }: Arrived, { where, text }: Injection, { arrived }: MediaServer): Answer {
  const said = (place: Where) => ({ body: { text: where === place ? text : 'Good morning.' } })
  const isFirst = arrived.filter((one) => one.path === path).length === 1
  if (path === '/v1/audio/transcriptions' && where === 'refused recording' && isFirst)
    return { status: 400, body: { error: { message: text, type: 'invalid_request_error' } } }
  if (path === '/v1/audio/transcriptions') return said('recording')
  if (path === '/v1/audio/translations') return said('foreign recording')
  if (path === '/v1/audio/speech') return { body: wav(), headers: { 'content-type': 'audio/wav' } }
  if (path.startsWith('/v1/images/')) return { body: { data: [{ b64_json: base64(png(8, 8)) }] } }
  if (path === '/page')
    return {
      body: `<html><body><h1>Plums</h1>${text}</body></html>`,
      headers: { 'content-type': 'text/html' },
    }
  if (path === '/broken') return { status: 500, body: text, headers: { 'content-type': 'text/plain' } }
  if (path === '/files') return { body: ['readme.txt', text] }
  return path === '/guest' ? { body: text } : { status: 404, body: 'Not here.' }
}
