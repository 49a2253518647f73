// Skills: instructions in folders. The model gets their names and descriptions, and reads one when it needs it.
import '../../local-service.js'
import { fileURLToPath } from 'node:url'
import { Agent } from '@capstan/core'
import { skills } from '@capstan/tools/skills'

// #region skills
const handbook = await skills(fileURLToPath(new URL('./handbook', import.meta.url)))
const agent = new Agent({ model: 'planner', middleware: [handbook.middleware] })
// #endregion
for (const { name, reason } of handbook.skipped) console.log(`${name} is skipped: ${reason}`)
for (const { skill, message } of handbook.findings) console.log(`${skill}: ${message}`)

const { toolCalls } = await agent.run('Read the skill "letters".')
for (const { name, arguments: args, content } of toolCalls) console.log(name, args, `\n${content}`)
