// Starts Swagger UI on the description of this service. No validator: the description must not leave the machine.
SwaggerUIBundle({
  url: new URL("openapi.json", document.baseURI).href,
  dom_id: "#explorer",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  displayOperationId: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
});
