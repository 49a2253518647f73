import {
  Agent,
  type AnyAgent,
  type ArtifactStore,
  chatModel,
  type Middleware,
  summarizeHistory,
  tool,
} from '@capstan/core'
import * as z from 'zod'

/** The ways to shorten requests, by the names of the agents that use them. */
const ways: Readonly<Record<string, () => Middleware>> = {
  summarised: () => summarizeHistory({ maxTokens: 8000 }),
  computed: () => summarizeHistory({ maxTokens: 8000 }),
}

const usual = 'The harbour opens at six, and boats go out.'

interface PageAgentOptions {
  readonly origin: string
  readonly artifacts: ArtifactStore
  readonly contextTokens?: number | undefined
  readonly needsApproval?: boolean
  /** The text of all pages. A process remembers the summaries of equal texts. */
  readonly says?: string
}

/** Returns an agent that reads long pages, as it is in a process that has just started. */
export function pageAgent(
  name: string,
  { origin, artifacts, contextTokens, needsApproval = false, says = usual }: PageAgentOptions,
): AnyAgent {
  const readPage = tool({
    name: 'read_page',
    description: 'Reads a page.',
    parameters: z.object({ page: z.number() }),
    needsApproval: ({ page }) => needsApproval && page % 7 === 5,
    execute: ({ page }) => `fact-${page}=Oslo${page} ${`${says} `.repeat(200)}`,
  })
  const options = contextTokens === undefined ? {} : { contextTokens }
  return new Agent({
    name,
    model: chatModel('m', { baseURL: origin, apiKey: 'key-of-pages', maxRetries: 0, ...options }),
    tools: [readPage],
    instructions:
      name === 'computed' ? () => `Read all pages. ${'Take your time. '.repeat(200)}` : 'Read all pages.',
    middleware: ways[name] ? [ways[name]()] : [],
    limits: { steps: 100 },
    artifacts,
  }) as unknown as AnyAgent
}
