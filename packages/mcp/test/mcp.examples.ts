// Code that docs/deploy/mcp.md shows in addition to the examples; `mcp.examples.test.ts` runs it.
import { Agent, type AnyAgent, type ChatModel } from '@capstan/core'
import { type McpServer, type McpTools, mcpServer, mcpTools } from '../src/index.js'

export async function overHttp(
  url: string,
  token: () => Promise<string>,
  headers = () => ({}),
): Promise<McpTools> {
  // #region http
  const server = await mcpTools({
    url,
    headers: async () => ({ authorization: `Bearer ${await token()}`, ...headers() }),
    allow: ['search', 'read_page'],
    timeoutMs: 20_000,
  })
  // #endregion
  return server
}

export async function lookUp(model: ChatModel, url: string): Promise<string> {
  // #region dispose
  await using server = await mcpTools({ url })
  const agent = new Agent({ model })
  const { text } = await agent.run('What is new?', { tools: server.tools })
  // #endregion
  return text
}

export function trusting(url: string): Promise<McpTools> {
  // #region trust
  return mcpTools({
    url,
    settings: ({ annotations }) =>
      annotations?.readOnlyHint ? { effects: 'read' } : { needsApproval: true },
  })
  // #endregion
}

export async function answering(
  model: ChatModel,
  url: string,
  askUser: (question: { message?: string; schema?: object; url?: string }) => Promise<object | undefined>,
): Promise<string> {
  await using server = await mcpTools({ url })
  // #region questions
  const agent = new Agent({ model, tools: server.tools })
  const run = agent.stream('Book a trip.', { wait: true })
  run.on('call-pending', async ({ callId, kind, ...question }) => {
    if (kind !== 'input') return
    const value = await askUser(question)
    const no = { type: 'deny', reason: 'The user declined.' } as const
    await run.decide(callId, value ? { type: 'result', value } : no)
  })
  const { text } = await run.result
  // #endregion
  return text
}

export async function pinned(url: string, pins: string): Promise<readonly string[]> {
  // #region pins
  await using server = await mcpTools({ url, pins })
  const skipped = server.skipped.map(({ name, reason }) => `${name}: ${reason}`)
  // #endregion
  return skipped
}

export function publicServer(
  agent: AnyAgent,
  userOf: (token: string | null) => Promise<{ id: string } | undefined>,
): McpServer {
  // #region public
  return mcpServer(agent, {
    hosts: ['mcp.example.com'],
    authenticate: ({ headers }) => userOf(headers.get('authorization')),
    runOptions: ({ caller }) => ({ context: { user: caller }, limits: { seconds: 120 } }),
    decide: ({ name }) =>
      name === 'send_mail' ? { type: 'deny', reason: 'Not from here.' } : { type: 'approve' },
  })
  // #endregion
}
