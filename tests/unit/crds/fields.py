"""The fields of Argo CD's three kinds, written out by hand. `[]` steps into a list, braces list names."""


def _paths(table: str) -> tuple[str, ...]:
    return tuple(path for line in table.split() for path in _expanded(line))


def _expanded(line: str) -> tuple[str, ...]:
    before, _, rest = line.partition("{")
    inside, _, after = rest.partition("}")
    return tuple(f"{before}{name}{after}" for name in inside.split(","))


def _under(prefix: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{prefix}.{path}" for path in paths)


_SOURCE = _paths(
    """
    {repoURL,path,targetRevision,chart,ref,name,tagPrefix}
    helm.{valueFiles[],values,valuesObject,releaseName,version,passCredentials,ignoreMissingValueFiles}
    helm.{skipCrds,skipTests,skipSchemaValidation,namespace,kubeVersion,apiVersions[]}
    helm.parameters[].{name,value,forceString}
    helm.fileParameters[].{name,path}
    kustomize.{namePrefix,nameSuffix,images[],commonLabels,commonAnnotations,commonAnnotationsEnvsubst}
    kustomize.{forceCommonLabels,forceCommonAnnotations,labelWithoutSelector,labelIncludeTemplates,namespace}
    kustomize.{components[],ignoreMissingComponents,version,kubeVersion,apiVersions[]}
    kustomize.replicas[].{name,count}
    kustomize.patches[].{path,patch,options}
    kustomize.patches[].target.{group,version,kind,name,namespace,annotationSelector,labelSelector}
    directory.{recurse,include,exclude,disableExtensionFilter}
    directory.jsonnet.libs[]
    directory.jsonnet.extVars[].{name,value,code}
    directory.jsonnet.tlas[].{name,value,code}
    plugin.name
    plugin.env[].{name,value}
    plugin.parameters[].{name,string,array[],map}
    """
)

_HYDRATOR = _paths(
    """
    drySource.{repoURL,targetRevision,path}
    drySource.{helm.values,kustomize.namePrefix,directory.recurse,plugin.name}
    syncSource.{repoURL,targetBranch,path}
    hydrateTo.targetBranch
    """
)

_SPEC = (
    *_paths(
        """
        {project,revisionHistoryLimit}
        destination.{server,name,namespace}
        syncPolicy.automated.{enabled,prune,selfHeal,allowEmpty}
        syncPolicy.syncOptions[]
        syncPolicy.retry.{limit,refresh}
        syncPolicy.retry.backoff.{duration,factor,maxDuration}
        syncPolicy.managedNamespaceMetadata.{labels,annotations}
        ignoreDifferences[].{group,kind,name,namespace,jsonPointers[],jqPathExpressions[],managedFieldsManagers[]}
        info[].{name,value}
        """
    ),
    *_under("source", _SOURCE),
    *_under("sources[]", _SOURCE),
    *_under("sourceHydrator", _HYDRATOR),
)

_OPERATION = (
    *_paths(
        """
        info[].{name,value}
        initiatedBy.{username,automated}
        retry.{limit,refresh}
        retry.backoff.{duration,factor,maxDuration}
        sync.{revision,revisions[],prune,dryRun,manifests[],syncOptions[],autoHealAttemptsCount}
        sync.resources[].{group,kind,name,namespace,exclude}
        sync.syncStrategy.{apply.force,hook.force}
        """
    ),
    *_under("sync.source", _SOURCE),
    *_under("sync.sources[]", _SOURCE),
)

_RESOURCE = _paths(
    """
    {group,version,kind,namespace,name,status,hook,requiresPruning,syncWave,requiresDeletionConfirmation}
    health.{status,message,lastTransitionTime}
    """
)

_STATUS = (
    *_paths(
        """
        sync.{status,revision,revisions[]}
        sync.comparedTo.destination.{server,name,namespace}
        sync.comparedTo.ignoreDifferences[].{group,kind,name,namespace}
        sync.comparedTo.ignoreDifferences[].{jsonPointers[],jqPathExpressions[],managedFieldsManagers[]}
        health.{status,message,lastTransitionTime}
        conditions[].{type,message,lastTransitionTime}
        operationState.{phase,message,startedAt,finishedAt,retryCount}
        operationState.syncResult.{revision,revisions[]}
        operationState.syncResult.managedNamespaceMetadata.{labels,annotations}
        operationState.syncResult.resources[].{group,version,kind,namespace,name,status,message}
        operationState.syncResult.resources[].{hookType,hookPhase,syncPhase,images[]}
        history[].{id,revision,revisions[],deployStartedAt,deployedAt}
        history[].initiatedBy.{username,automated}
        {reconciledAt,observedAt,sourceType,sourceTypes[],resourceHealthSource,controllerNamespace}
        summary.{images[],externalURLs[],isAppOfApps}
        sourceHydrator.lastComparedDryRevision
        sourceHydrator.currentOperation.{startedAt,finishedAt,phase,message,drySHA,hydratedSHA}
        sourceHydrator.lastSuccessfulOperation.{drySHA,hydratedSHA}
        """
    ),
    *_under("sync.comparedTo.source", _SOURCE),
    *_under("sync.comparedTo.sources[]", _SOURCE),
    *_under("resources[]", _RESOURCE),
    *_under("operationState.operation", _OPERATION),
    *_under("operationState.syncResult.source", _SOURCE),
    *_under("operationState.syncResult.sources[]", _SOURCE),
    *_under("history[].source", _SOURCE),
    *_under("history[].sources[]", _SOURCE),
    *_under("sourceHydrator.currentOperation.sourceHydrator", _HYDRATOR),
    *_under("sourceHydrator.lastSuccessfulOperation.sourceHydrator", _HYDRATOR),
)

_PROJECT = _paths(
    """
    spec.{sourceRepos[],sourceNamespaces[],description,permitOnlyProjectScopedClusters,sourceIntegrity}
    spec.destinations[].{server,name,namespace}
    spec.clusterResourceWhitelist[].{group,kind,name}
    spec.clusterResourceBlacklist[].{group,kind,name}
    spec.namespaceResourceWhitelist[].{group,kind}
    spec.namespaceResourceBlacklist[].{group,kind}
    spec.roles[].{name,description,policies[],groups[]}
    spec.roles[].jwtTokens[].{iat,exp,id}
    spec.syncWindows[].{kind,schedule,duration,applications[],namespaces[],clusters[],manualSync,timeZone}
    spec.syncWindows[].{andOperator,description,syncOverrun}
    spec.orphanedResources.warn
    spec.orphanedResources.ignore[].{group,kind,name}
    spec.signatureKeys[].keyID
    spec.destinationServiceAccounts[].{server,namespace,defaultServiceAccount}
    status.jwtTokensByRole
    """
)

_TEMPLATE = (
    *_paths(
        """
        metadata.{name,namespace,labels,annotations,finalizers[]}
        """
    ),
    *_under("spec", _SPEC),
)

_SELECTOR = _paths(
    """
    matchLabels
    matchExpressions[].{key,operator,values[]}
    """
)

_SET = (
    *_paths(
        """
        spec.{goTemplate,goTemplateOptions[],templatePatch,applyNestedSelectors}
        spec.syncPolicy.{preserveResourcesOnDeletion,applicationsSync}
        spec.strategy.{type,deletionOrder}
        spec.strategy.rollingSync.steps[].matchExpressions[].{key,operator,values[]}
        spec.strategy.rollingSync.steps[].maxUpdate
        spec.preservedFields.{annotations[],labels[]}
        spec.ignoreApplicationDifferences[].{name,jsonPointers[],jqPathExpressions[]}
        spec.generators[].list.{elements[],elementsYaml}
        spec.generators[].clusters.{values,flatList}
        spec.generators[].git.{repoURL,revision,requeueAfterSeconds,pathParamPrefix,values}
        spec.generators[].git.directories[].{path,exclude}
        spec.generators[].git.files[].{path,exclude}
        spec.generators[].scmProvider.{github,gitlab,gitea,bitbucket,bitbucketServer,azureDevOps,awsCodeCommit}
        spec.generators[].scmProvider.{cloneProtocol,requeueAfterSeconds,values}
        spec.generators[].scmProvider.filters[].{repositoryMatch,pathsExist[],pathsDoNotExist[],labelMatch,branchMatch}
        spec.generators[].pullRequest.{github,gitlab,gitea,bitbucket,bitbucketServer,azuredevops}
        spec.generators[].pullRequest.{requeueAfterSeconds,values,continueOnRepoNotFoundError}
        spec.generators[].pullRequest.filters[].{branchMatch,targetBranchMatch,titleMatch}
        spec.generators[].clusterDecisionResource.{configMapRef,name,requeueAfterSeconds,values}
        spec.generators[].plugin.{configMapRef.name,input.parameters,requeueAfterSeconds,values}
        spec.generators[].matrix.generators[]
        spec.generators[].merge.{generators[],mergeKeys[]}
        status.conditions[].{type,status,reason,message,lastTransitionTime}
        status.applicationStatus[].{application,step,status,message,targetRevisions[],lastTransitionTime}
        status.resourcesCount
        status.health.{status,message,lastTransitionTime}
        """
    ),
    *_under("spec.template", _TEMPLATE),
    *_under("spec.generators[].selector", _SELECTOR),
    *_under("spec.generators[].list.template", _TEMPLATE),
    *_under("spec.generators[].clusters.selector", _SELECTOR),
    *_under("spec.generators[].clusters.template", _TEMPLATE),
    *_under("spec.generators[].git.template", _TEMPLATE),
    *_under("spec.generators[].scmProvider.template", _TEMPLATE),
    *_under("spec.generators[].pullRequest.template", _TEMPLATE),
    *_under("spec.generators[].clusterDecisionResource.labelSelector", _SELECTOR),
    *_under("spec.generators[].clusterDecisionResource.template", _TEMPLATE),
    *_under("spec.generators[].plugin.template", _TEMPLATE),
    *_under("spec.generators[].matrix.template", _TEMPLATE),
    *_under("spec.generators[].merge.template", _TEMPLATE),
    *_under("status.resources[]", _RESOURCE),
)

APPLICATION = (*_under("spec", _SPEC), *_under("operation", _OPERATION), *_under("status", _STATUS))
APPPROJECT = _PROJECT
APPLICATIONSET = _SET
