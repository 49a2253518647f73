import type { Case } from '../stage.js'
import { approvals } from './approvals.js'
import { replies } from './replies.js'
import { servers } from './servers.js'

export const cases: readonly Case[] = [...servers, ...replies, ...approvals]
