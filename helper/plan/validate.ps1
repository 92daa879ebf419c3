# A plan is validated as a whole before any of it is stored or run: its properties, its steps, and all parameters.

# The value of a text that has the hash it was sent with. Any other text is not parsed.
function ConvertFrom-SealedText {
    param([Parameter(Mandatory = $true)][string]$Text, [Parameter(Mandatory = $true)][string]$Hash)
    if ($Text.Length -gt 262144) { throw (New-HelperError -Kind BadRequest -Message 'The plan is longer than 256 KiB.') }
    if ((Get-Sha256 -Bytes ([System.Text.Encoding]::UTF8.GetBytes($Text))) -cne $Hash) {
        throw (New-HelperError -Kind BadRequest -Message 'The plan does not match its hash.')
    }
    try { $value = ConvertFrom-Json -InputObject $Text } catch { throw (New-HelperError -Kind BadRequest -Message 'The plan is not JSON.') }
    # The comma keeps a list in one piece, so that it is refused as a list.
    , $value
}

function ConvertFrom-PlanText {
    param([Parameter(Mandatory = $true)][string]$Text, [Parameter(Mandatory = $true)][string]$Hash)
    $plan = ConvertFrom-SealedText -Text $Text -Hash $Hash
    $known = @('apiVersion', 'kind', 'id', 'node', 'title', 'createdAt', 'createdBy', 'context', 'steps', 'deadMan')
    Assert-PlanField -Value $plan -Known $known -Where 'The plan'
    if ((Get-Field -InputObject $plan -Name apiVersion) -cne 'kubectl-win/v1' -or (Get-Field -InputObject $plan -Name kind) -cne 'Plan') {
        throw (New-HelperError -Kind BadRequest -Message 'The plan is not a kubectl-win/v1 Plan.')
    }
    [void](Get-PlanId -Id (Get-Field -InputObject $plan -Name id))
    Assert-PlanText -Plan $plan
    $steps = $null
    if ($null -ne $plan.PSObject.Properties['steps']) { $steps = $plan.steps }
    if ($steps -isnot [System.Array] -or $steps.Count -lt 1 -or $steps.Count -gt 200) {
        throw (New-HelperError -Kind BadRequest -Message 'A plan must have 1 to 200 steps.')
    }
    for ($i = 0; $i -lt $steps.Count; $i++) { Assert-PlanStep -Step $steps[$i] -Where "Step $i" }
    $deadMan = Get-Field -InputObject $plan -Name deadMan
    if ($null -ne $deadMan) {
        $with = @{ address = 'address'; gateway = 'address?'; apiServer = 'target'; withinSeconds = 'seconds' }
        Assert-Parameter -Value $deadMan -Table $with -Where 'The reachability check'
    } elseif (@($steps | Where-Object -FilterScript { Get-Field -InputObject $_ -Name cuts }).Count -gt 0) {
        throw (New-HelperError -Kind BadRequest -Message 'A plan with a cutting step needs a reachability check.')
    }
    $plan
}

# The same limits as in src/model/plan.ts.
function Assert-PlanText {
    param([Parameter(Mandatory = $true)][psobject]$Plan)
    $title = Get-Field -InputObject $Plan -Name title
    if ($title -isnot [string] -or $title.Length -lt 1 -or $title.Length -gt 200) { throw (New-HelperError -Kind BadRequest -Message 'The title of a plan must have 1 to 200 characters.') }
    if (-not (Test-Parameter -Value (Get-Field -InputObject $Plan -Name node) -Kind objectName)) { throw (New-HelperError -Kind BadRequest -Message "'node' is not the name of a node in Kubernetes.") }
    foreach ($name in @('createdBy', 'context')) {
        $text = Get-Field -InputObject $Plan -Name $name
        if ($null -ne $text -and ($text -isnot [string] -or $text.Length -gt 200)) { throw (New-HelperError -Kind BadRequest -Message "'$name' must be a text of at most 200 characters.") }
    }
    # PowerShell 7 converts times in JSON to dates.
    $at = Get-Field -InputObject $Plan -Name createdAt
    if ($at -isnot [datetime] -and ($at -isnot [string] -or $at -notmatch '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)\z')) {
        throw (New-HelperError -Kind BadRequest -Message "'createdAt' is not a time.")
    }
}

function Get-PlanId {
    param([AllowNull()][object]$Id)
    if ($Id -isnot [string] -or $Id -notmatch '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\z') {
        throw (New-HelperError -Kind BadRequest -Message 'The id of a plan must be a GUID.')
    }
    $Id.ToLowerInvariant()
}

function Assert-PlanField {
    param([AllowNull()][object]$Value, [Parameter(Mandatory = $true)][string[]]$Known, [Parameter(Mandatory = $true)][string]$Where)
    if ($Value -isnot [System.Management.Automation.PSCustomObject]) { throw (New-HelperError -Kind BadRequest -Message "$Where is not a JSON object.") }
    foreach ($property in $Value.PSObject.Properties) {
        if ($Known -cnotcontains $property.Name) { throw (New-HelperError -Kind BadRequest -Message "$Where has an unknown property '$($property.Name)'.") }
    }
}

function Assert-PlanStep {
    param([AllowNull()][object]$Step, [Parameter(Mandatory = $true)][string]$Where)
    Assert-PlanField -Value $Step -Known @('do', 'with', 'why', 'cuts', 'timeoutSeconds') -Where $Where
    $why = Get-Field -InputObject $Step -Name why
    if ($null -ne $why -and ($why -isnot [string] -or $why.Length -gt 500)) { throw (New-HelperError -Kind BadRequest -Message "${Where}: 'why' must be a text of at most 500 characters.") }
    $do = [string](Get-Field -InputObject $Step -Name do)
    $table = Get-StepTable
    # A hashtable ignores case; names of steps are case-sensitive.
    if (@($table.Keys) -cnotcontains $do) { throw (New-HelperError -Kind BadRequest -Message "${Where}: step '$do' does not exist.") }
    $with = Get-Field -InputObject $Step -Name with
    $parameters = $table[$do].With
    if ($do -ceq 'wait.until') {
        $until = [string](Get-Field -InputObject $with -Name until)
        $conditions = Get-ConditionTable
        if (@($conditions.Keys) -cnotcontains $until) { throw (New-HelperError -Kind BadRequest -Message "${Where}: there is no condition '$until'.") }
        $parameters = $conditions[$until] + @{ until = 'condition' }
    }
    Assert-Parameter -Value $with -Table $parameters -Where "$Where ($do)"
    $cuts = Get-Field -InputObject $Step -Name cuts
    if ($null -ne $cuts -and $cuts -isnot [bool]) { throw (New-HelperError -Kind BadRequest -Message "${Where}: 'cuts' must be true or false.") }
    $seconds = Get-Field -InputObject $Step -Name timeoutSeconds
    if ($null -ne $seconds -and (-not (Test-Parameter -Value $seconds -Kind seconds) -or $seconds -gt 900)) { throw (New-HelperError -Kind BadRequest -Message "${Where}: 'timeoutSeconds' must be a number from 1 to 900.") }
    $refusal = Get-StepRefusal -Step $Step
    if ($null -ne $refusal) { throw (New-HelperError -Kind BadRequest -Message "${Where}: $refusal") }
}

function Assert-Parameter {
    param([AllowNull()][object]$Value, [Parameter(Mandatory = $true)][hashtable]$Table, [Parameter(Mandatory = $true)][string]$Where)
    Assert-PlanField -Value $Value -Known @($Table.Keys) -Where $Where
    foreach ($name in $Table.Keys) {
        $kind = $Table[$name]
        $property = $Value.PSObject.Properties[$name]
        if ($null -eq $property) {
            if ($kind.EndsWith('?')) { continue }
            throw (New-HelperError -Kind BadRequest -Message "${Where}: '$name' is missing.")
        }
        if (-not (Test-Parameter -Value $property.Value -Kind $kind.TrimEnd('?'))) {
            throw (New-HelperError -Kind BadRequest -Message "${Where}: '$name' is not valid.")
        }
    }
}

# \z, because $ also matches before a final line feed.
function Test-Parameter {
    param([AllowNull()][object]$Value, [Parameter(Mandatory = $true)][string]$Kind)
    if ($Kind -eq 'bool') { return $Value -is [bool] }
    if ($Kind -eq 'guids') {
        if ($Value -isnot [System.Array]) { return $false }
        return @($Value | Where-Object -FilterScript { -not (Test-Parameter -Value $_ -Kind guid) }).Count -eq 0
    }
    if (@('port', 'metric', 'seconds') -contains $Kind) {
        $most = @{ port = 65535; metric = 9999; seconds = 1800 }[$Kind]
        $least = @{ port = 1; metric = 0; seconds = 1 }[$Kind]
        return ($Value -is [int] -or $Value -is [long]) -and $Value -ge $least -and $Value -le $most
    }
    if ($Value -isnot [string]) { return $false }
    switch ($Kind) {
        # DNS-1123, as objectName in src/model/step.ts.
        'objectName' { return $Value.Length -le 253 -and $Value -cmatch '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\z' }
        'name' { return $Value -match '^[^\x00-\x1F\x7F-\x9F]{1,256}\z' }
        'guid' { return $Value -match '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\z' }
        'component' { return @('vms_pp', 'ms_tcpip', 'ovsext') -ccontains $Value }
        'protocol' { return @('TCP', 'UDP') -ccontains $Value }
        'serviceState' { return @('Running', 'Stopped') -ccontains $Value }
        'path' { return $Value.Length -le 260 -and $Value -match '^[Cc]:\\[^\x00-\x1F\x7F-\x9F]+\z' }
        'registryPath' { return $Value -match '^HKLM:\\[^\x00-\x1F\x7F-\x9F]{1,255}\z' }
        'address' { return Test-IPAddress -Text $Value }
        'prefix' {
            if ($Value -notmatch '^([^/]+)/(0|[1-9]\d{0,2})\z') { return $false }
            $address, $length = $Matches[1], [int]$Matches[2]
            $most = 32
            if ($address.Contains(':')) { $most = 128 }
            return (Test-IPAddress -Text $address) -and $length -le $most
        }
        'target' { return $Value -match '^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):[0-9]{1,5}\z' }
        'condition' { return (Get-ConditionTable).ContainsKey($Value) }
    }
    $false
}

# .NET also parses "10.1", "0x7f.1" and addresses with a zone.
function Test-IPAddress {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Text)
    if ($Text.Contains(':')) { return $Text -match '^[0-9A-Fa-f:.]{2,45}\z' -and $null -ne ($Text -as [System.Net.IPAddress]) }
    $Text -match '^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(?!\z)|\z)){4}\z'
}
