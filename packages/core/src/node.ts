export { type FolderArtifacts, folderArtifacts } from './artifacts/folder-artifacts.js'
export { folderSessions } from './sessions/folder-sessions.js'
