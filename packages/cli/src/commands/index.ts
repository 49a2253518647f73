import type { Command } from '../args.js'
import { bisect } from './bisect.js'
import { chat } from './chat.js'
import { check } from './check.js'
import { compare } from './compare.js'
import { explain } from './explain.js'
import { fork } from './fork.js'
import { mcp } from './mcp.js'
import { run } from './run.js'
import { service } from './service.js'
import { studio } from './studio.js'
import { tool } from './tool.js'

/** All commands, in the order in which the help lists them. */
export const commands: readonly Command[] = [
  run,
  chat,
  tool,
  check,
  explain,
  fork,
  compare,
  bisect,
  mcp,
  service,
  studio,
]
