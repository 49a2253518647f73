import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { expectTypeOf, test } from 'vitest'
import type { AgentHandler } from './agent-handler.js'
import { toNodeListener } from './node-listener.js'

const listener = toNodeListener(() => new Response())

test('takes an agent handler, and any function from Request to Response', () => {
  expectTypeOf(toNodeListener).toBeCallableWith((() => {}) as unknown as AgentHandler)
  expectTypeOf(toNodeListener).toBeCallableWith(async ({ url }: Request) => new Response(url))
  // @ts-expect-error: it returns text
  toNodeListener(() => 'Hello.')
})

test('returns a listener for the servers of Node', () => {
  expectTypeOf(listener).toExtend<RequestListener>()
  expectTypeOf(createServer).toBeCallableWith(listener)
  expectTypeOf(createHttpsServer).toBeCallableWith({}, listener)
  expectTypeOf(createHttp2Server).toBeCallableWith(listener)
})
