import { Agent, type AnyAgent, agentTool, type ToolContext, tool } from '@capstan/core'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import { agentHandler } from './agent-handler.js'
import type { HandlerOptions } from './options.js'

interface Db {
  find(id: string): string
}

const plain = tool({
  name: 'plain',
  description: 'Asks for nothing',
  parameters: z.object({}),
  execute: () => 1,
})
const lookUp = tool({
  name: 'look_up',
  description: 'Looks up',
  parameters: z.object({ id: z.string() }),
  execute: ({ id }, { context }: ToolContext<{ db: Db }>) => context.db.find(id),
})
const mail = tool({
  name: 'mail',
  description: 'Mails',
  parameters: z.object({}),
  execute: (_, { context }: ToolContext<{ email: string }>) => context.email,
})

const bare = new Agent({ name: 'bare', model: 'm' })
const free = new Agent({ name: 'free', model: 'm', tools: [plain] })
const finder = new Agent({ name: 'finder', model: 'm', tools: [plain, lookUp] })
const mailer = new Agent({ name: 'mailer', model: 'm', tools: [mail] })
const both = new Agent({ name: 'both', model: 'm', tools: [lookUp, mail] })
const above = new Agent({ name: 'above', model: 'm', tools: [agentTool(finder)] })
const db: Db = { find: () => '' }
const authenticate = () => ({ id: 'ann' })

test('agents whose tools need no context may have one', () => {
  const never = () => {
    agentHandler(bare, { authenticate })
    agentHandler(free, { authenticate: false })
    agentHandler([bare, free], { authenticate, context: () => 3 })
  }
  expectTypeOf(never).toBeFunction()
})

test('the context of a handler is what the tools of all its agents need', () => {
  const never = () => {
    agentHandler(finder, { authenticate, context: () => ({ db }) })
    agentHandler(finder, { authenticate, context: async (_request, { id }) => ({ db, id }) })
    agentHandler(both, { authenticate, context: () => ({ db, email: '' }) })
    agentHandler([bare, finder, mailer], { authenticate, context: () => ({ db, email: '' }) })
    agentHandler(above, { authenticate, context: () => ({ db }) })
    // @ts-expect-error a tool asks for a context
    agentHandler(finder, { authenticate })
    // @ts-expect-error a tool of one of them asks for a context
    agentHandler([free, finder], { authenticate })
    // @ts-expect-error so does the tool of an agent that is a tool
    agentHandler(above, { authenticate })
    // @ts-expect-error the address is missing
    agentHandler(both, { authenticate, context: () => ({ db }) })
    // @ts-expect-error the other agent asks for an address
    agentHandler([finder, mailer], { authenticate, context: async () => ({ db }) })
    // @ts-expect-error the address is a text
    agentHandler(mailer, { authenticate, context: () => ({ email: 3 }) })
  }
  expectTypeOf(never).toBeFunction()
})

test('the arguments of the callbacks are inferred', () => {
  const never = () =>
    agentHandler([finder, mailer], {
      authenticate: async (request) => {
        expectTypeOf(request).toEqualTypeOf<Request>()
        return { id: 'ann' }
      },
      context: (request, user, sent) => {
        expectTypeOf(request).toEqualTypeOf<Request>()
        expectTypeOf(user.id).toEqualTypeOf<string>()
        expectTypeOf(sent).toEqualTypeOf<Readonly<Record<string, unknown>>>()
        return { db, email: user.id }
      },
      onError: async (error) => {
        expectTypeOf(error).toEqualTypeOf<unknown>()
      },
    })
  expectTypeOf(never).toBeFunction()
})

test('accepts agents with unknown tools, and options declared elsewhere', () => {
  const never = (any: AnyAgent, some: readonly AnyAgent[], options: HandlerOptions) => {
    agentHandler(any, { authenticate })
    agentHandler(any, options)
    agentHandler(some, { authenticate, context: () => ({ anything: 1 }) })
    agentHandler(some, options)
    // @ts-expect-error who may ask is for the application to say
    agentHandler(any, {})
    // @ts-expect-error options are needed
    agentHandler(any)
  }
  expectTypeOf(never).toBeFunction()
})
