// A region of this file is shown in docs/guides/sessions.md; the test beside it runs it.
import { folderSessions } from '@capstan/core/node'

// #region store
export async function note(text: string, folder = 'sessions'): Promise<string[]> {
  const sessions = folderSessions(folder)
  const { version } = await sessions.load('user-42')
  await sessions.append('user-42', [{ role: 'user', content: text }], version)

  const { messages } = await sessions.load('user-42')
  return messages.map(({ role, content }) => `${role}: ${content}`)
}
// #endregion
