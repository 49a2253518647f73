import type { Case } from '../stage.js'
import { approvals } from './approvals.js'
import { clients } from './clients.js'
import { kills } from './kills.js'
import { mcp } from './mcp.js'
import { replies } from './replies.js'
import { servers } from './servers.js'
import { tools } from './tools.js'
import { wires } from './wires.js'

/** The rows of the page, in its order, under their headings. */
export const sections: Readonly<Record<string, readonly Case[]>> = {
  servers,
  approvals,
  replies,
  tools,
  clients,
  wires,
  mcp,
  kills,
}

export const cases: readonly Case[] = Object.values(sections).flat()
