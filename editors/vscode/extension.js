// Starts `lepage lsp` and lets the editor talk to it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("lepage").get("path");
  const server = { command, args: ["lsp"] };
  const selector = { documentSelector: [{ language: "lepage" }] };
  client = new LanguageClient("lepage", "Lepage", server, selector);
  return client.start();
};

exports.deactivate = () => client && client.stop();
