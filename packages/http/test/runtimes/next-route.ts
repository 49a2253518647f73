// Next serves what this module exports as app/agent/[...route]/route.js.
import { agentHandler } from '@capstan/http'
import { helper, relay } from './agents.js'
import { authenticate } from './authenticate.js'

const handler = agentHandler([helper, relay], { basePath: '/agent', authenticate })

export { handler as DELETE, handler as GET, handler as HEAD, handler as OPTIONS, handler as POST }
