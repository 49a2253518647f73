// The agents of a team: the editor asks a researcher and a printer, and hands over to a publisher.
import { Agent, agentTool, handoff, type Middleware, tool } from '@capstan/core'
import * as z from 'zod'

export const findFact = tool({
  name: 'find_fact',
  description: 'Finds a fact about a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, founded: 1000 + city.length }),
})

export const getPrice = tool({
  name: 'get_price',
  description: 'Price of printed copies in euros',
  parameters: z.object({ copies: z.int().describe('Number of copies') }),
  effects: 'read',
  execute: ({ copies }) => ({ copies, euros: copies * 3 }),
})

export const publish = tool({
  name: 'publish_article',
  description: 'Publishes an article on the website, for everyone to read',
  parameters: z.object({ title: z.string().describe('Title of the article') }),
  execute: ({ title }) => ({ title, published: true }),
})

/** US dollars for a token. */
const price = { inputTokens: 1e-6, outputTokens: 4e-6 }

interface Spent {
  readonly requests: number
  readonly cost: number
}

/** The editor of a team, and what each agent has spent in the runs of this editor. */
export function makeTeam(model: string) {
  const spent: Record<string, Spent> = {}
  /** Counts the requests of one agent: `usage` of a result is that of all agents together. */
  const meter = (agent: string): Middleware => {
    const entry = { requests: 0, cost: 0 }
    spent[agent] = entry
    return {
      name: 'meter',
      async wrapModel(_call, next) {
        const reply = await next()
        const { inputTokens = 0, outputTokens = 0 } = reply.tokens ?? {}
        entry.requests += 1
        entry.cost += inputTokens * price.inputTokens + outputTokens * price.outputTokens
        return reply
      },
    }
  }

  const researcher = new Agent({
    name: 'researcher',
    model,
    tools: [findFact],
    middleware: [meter('researcher')],
  })
  const printer = new Agent({
    name: 'printer',
    model,
    tools: [getPrice],
    limits: { toolCalls: 2 },
    middleware: [meter('printer')],
  })
  const publisher = new Agent({
    name: 'publisher',
    model,
    tools: [publish],
    middleware: [meter('publisher')],
  })
  const editor = new Agent({
    name: 'editor',
    model,
    tools: [
      agentTool(researcher, { description: 'Asks the researcher, who finds facts about cities' }),
      agentTool(printer, { description: 'Asks the printer, who knows the price of copies' }),
      handoff(publisher, { description: 'The publisher, who publishes articles' }),
    ],
    price: { [model]: price },
    limits: { cost: 0.01, toolCalls: 8 },
    middleware: [meter('editor')],
  })
  return { editor, spent }
}
