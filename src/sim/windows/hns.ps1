# HNS: the in-box cmdlets, and what HNSCall answers.

function Get-HnsNetwork { [CmdletBinding()] param() Read-Section hnsNetworks }

function Get-HnsEndpoint { [CmdletBinding()] param() Read-Section hnsEndpoints }

function Get-HnsPolicyList { [CmdletBinding()] param() Read-Section hnsPolicyLists }

function Remove-HnsNetwork {
    [CmdletBinding()]
    param([Parameter(ValueFromPipeline = $true)]$InputObjects)
    process { Edit-State { param($state) Remove-NetworkFromState -State $state -Id $InputObjects.ID } }
}

function Remove-HnsEndpoint {
    [CmdletBinding()]
    param([Parameter(ValueFromPipeline = $true)]$InputObjects)
    process { Edit-State { param($state) Remove-EndpointFromState -State $state -Id $InputObjects.ID } }
}

function Remove-HnsPolicyList {
    [CmdletBinding()]
    param([Parameter(ValueFromPipeline = $true)]$InputObjects)
    process {
        Edit-State { param($state) Set-Rows $state hnsPolicyLists @(Get-Rows $state hnsPolicyLists | Where-Object { $_.ID -ne $InputObjects.ID }) }
    }
}

# What HNSCall(method, path, body) gives, in HNS' envelope.
function Invoke-HnsStub {
    param([string]$Method, [string]$Path, [string]$Body)
    $null, $kind, $id = $Path -split '/'
    $section = @{ networks = 'hnsNetworks'; endpoints = 'hnsEndpoints'; policylists = 'hnsPolicyLists' }[$kind]
    switch ($Method) {
        'GET' {
            $items = @(Read-Section $section | ForEach-Object { ConvertTo-Json -InputObject $_ -Depth 40 -Compress })
            return '{"Success":true,"Output":[' + ($items -join ',') + ']}'
        }
        'DELETE' {
            $found = @(Read-Section $section | Where-Object { $_.ID -eq $id })
            if ($found.Count -eq 0) { return '{"Success":false,"Error":"Element not found. ","ErrorCode":2147943568}' }
            switch ($kind) {
                'networks' { $found | Remove-HnsNetwork }
                'endpoints' { $found | Remove-HnsEndpoint }
                'policylists' { $found | Remove-HnsPolicyList }
            }
            return '{"Success":true}'
        }
        'POST' {
            $object = ConvertFrom-StateText -Text $Body
            $object | Add-Member -NotePropertyName ID -NotePropertyValue ([guid]::NewGuid().ToString().ToUpperInvariant()) -Force
            Edit-State {
                param($state)
                if ($kind -eq 'networks') { Add-NetworkToState -State $state -Network $object; return }
                if ($kind -eq 'endpoints') { $object | Add-Member -NotePropertyName State -NotePropertyValue 1 -Force }
                if ($kind -eq 'policylists') { $object | Add-Member -NotePropertyName State -NotePropertyValue 2 -Force }
                Set-Rows $state $section (@(Get-Rows $state $section) + $object)
            }
            return '{"Success":true,"Output":' + (ConvertTo-Json -InputObject $object -Depth 40 -Compress) + '}'
        }
    }
}
