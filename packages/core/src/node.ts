export { folderSessions } from './session/folder-sessions.js'
export { type FolderArtifacts, folderArtifacts } from './tool/folder-artifacts.js'
