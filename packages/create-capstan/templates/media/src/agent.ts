import { Agent } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { mediaTools } from '@capstan/media'

export const agent = new Agent({
  name: 'studio-artist',
  model: process.env.CAPSTAN_MODEL ?? 'gpt-5-mini',
  instructions: 'You draw, edit drawings, speak and transcribe with your tools. Answer briefly.',
  // Tools pass ids to each other. No image and no sound enters the conversation.
  tools: mediaTools(),
  artifacts: folderArtifacts('output'),
})
