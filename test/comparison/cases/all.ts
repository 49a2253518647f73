import type { Case } from '../stage.js'
import { replies } from './replies.js'
import { servers } from './servers.js'

export const cases: readonly Case[] = [...servers, ...replies]
