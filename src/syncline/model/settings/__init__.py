"""The settings of an installation as one typed value: `syncline.model.settings.settings.Settings` and its parts."""
