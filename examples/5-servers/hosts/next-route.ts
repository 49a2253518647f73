// Next: the file app/agent/[...route]/route.ts.
import { Agent } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { getWeather } from '../../1-start/illustrator/tools.js'
import { authenticate } from './authenticate.js'

// #region host
const agent = new Agent({ name: 'forecaster', model: 'planner', tools: [getWeather] })
const handler = agentHandler(agent, { basePath: '/agent', authenticate })

export { handler as DELETE, handler as GET, handler as HEAD, handler as OPTIONS, handler as POST }
// #endregion
