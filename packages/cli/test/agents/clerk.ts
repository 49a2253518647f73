import { fileURLToPath } from 'node:url'
import { Agent } from '@capstan/core'
import { skills } from '@capstan/tools/skills'

export const handbook = await skills(fileURLToPath(new URL('./handbook', import.meta.url)))

export default new Agent({ name: 'clerk', model: 'planner', middleware: [handbook.middleware] })
