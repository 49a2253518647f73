// Code that docs/tools/openapi.md shows in addition to the example; `openapi.examples.test.ts` runs it.
import { Agent, type ChatModel, retryTools } from '@capstan/core'
import { type OpenApiTools, openapiTools } from '../src/openapi.js'

export function issues(document: object, baseURL: string, token: () => Promise<string>): OpenApiTools {
  // #region auth
  return openapiTools(document, {
    allow: ['issues/create', 'GET /repos/*'],
    baseURL,
    auth: { bearerAuth: token, basicAuth: { username: 'ada', password: 'secret' } },
  })
  // #endregion
}

export function careful(document: object, baseURL: string): OpenApiTools {
  // #region settings
  return openapiTools(document, {
    allow: ({ deprecated, tags }) => !deprecated && tags.includes('orders'),
    baseURL,
    prefix: 'shop',
    settings: ({ method }) => (method === 'GET' ? { untrusted: false } : { needsApproval: true }),
  })
  // #endregion
}

export async function patient(model: ChatModel, document: object, baseURL: string): Promise<string> {
  // #region retry
  const { tools } = openapiTools(document, { allow: '*', baseURL })
  const agent = new Agent({ model, tools, middleware: [retryTools({ times: 3 })] })
  const { text } = await agent.run('Which orders are open?')
  // #endregion
  return text
}
