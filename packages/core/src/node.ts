export { folderArtifacts } from './tool/folder-artifacts.js'
