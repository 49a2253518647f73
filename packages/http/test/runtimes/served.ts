// Bun, Deno and workerd serve what a module exports by default.
import { agentHandler } from '@capstan/http'
import { helper, relay } from './agents.js'
import { authenticate } from './authenticate.js'

// #region host
const handler = agentHandler([helper, relay], {
  basePath: '/agent',
  authenticate,
  // workerd finds out that a reader has left when it sends something.
  keepAliveMs: 3000,
})

export default { fetch: (request: Request) => handler(request) }
// #endregion
