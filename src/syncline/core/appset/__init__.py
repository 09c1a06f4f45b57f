"""ApplicationSets, pure: generators make parameters, parameters fill the template, and what is live says what changes.

Belongs here: every decision about an ApplicationSet. What generators have to know of the world (clusters, files of
repositories, pull requests) is asked for as values of `syncline.core.appset.questions` and handed in as answers.
"""
