import { Agent, type AnyAgent, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import * as z from 'zod'
import { type AgentHandler, agentHandler } from '../src/agent-handler.js'
import type { HandlerOptions } from '../src/options.js'

/** One pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export const weather = tool({
  name: 'get_weather',
  description: 'Weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: city.length }),
})

export const book = tool({
  name: 'book_room',
  description: 'Books a room in a city',
  parameters: z.object({ city: z.string() }),
  needsApproval: true,
  execute: ({ city }) => `booked in ${city}`,
})

export const draw = tool({
  name: 'draw',
  description: 'Draws',
  parameters: z.object({ what: z.string() }),
  execute: (_, { artifacts }) =>
    artifacts.put(pixel, { kind: 'image', mediaType: 'image/png', width: 1, height: 1 }),
})

/**
 * An agent with a scripted model, a typed tool, a tool that needs approval, and a tool that makes an image.
 */
export function scripted(steps: readonly ScriptStep[]): AnyAgent {
  return new Agent({ name: 'helper', model: scriptedModel(steps), tools: [weather, book, draw] })
}

export const hello = () => scripted([reply.text('Hello there.')])
export const asksWeather = () =>
  scripted([reply.call('get_weather', { city: 'Oslo' }), reply.text('Four degrees.')])

/** A handler whose users say who they are by a token of their name. */
export function handlerOf(
  agent: AnyAgent | readonly AnyAgent[],
  options: Partial<HandlerOptions> = {},
): AgentHandler {
  return agentHandler(agent, { authenticate, onError: () => {}, ...options })
}

export function authenticate(request: Request) {
  const [, id] = /^Bearer user-(\w+)$/.exec(request.headers.get('authorization') ?? '') ?? []
  return id === undefined ? undefined : { id }
}

export interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly user?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** A request to a handler, without a socket. */
export function toRequest(
  path: string,
  { method, body, user = 'ann', headers = {}, signal }: Sent = {},
): Request {
  return new Request(`http://house.test${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(user === '' ? {} : { authorization: `Bearer user-${user}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
}

/** The events of a stream, each as it was sent. */
export function eventsIn(text: string): { id?: string; event?: string; data: string }[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
  return blocks.map((block) => Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2))))
}
