export { type FolderArtifacts, folderArtifacts } from './tool/folder-artifacts.js'
